package sluice.vi.ofi;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.sys.Files;
import sluice.sys.Sockets;
import sluice.vi.device.DeviceException;
import sluice.vi.device.Fault;
import sluice.vi.device.Listener;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;

/// Accepts connections at a name of UNIX sockets on the threads that call accept. Any thread may
/// call. A waiting thread sleeps for short times, so that a virtual thread releases its carrier.
///
/// A thread checks each client in turn without waiting for any of them, so that a client that sends
/// nothing, or stops in the middle, does not delay others. If an accept has not completed the
/// connection of a client, it is continued by the next accept with the same specification.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `fd`, `clients` | accepting threads, the closer | under the monitor | under the monitor |
/// | the fields of [Client] | the thread that took it out of `clients` | plain | plain |
///
/// Limits: at most [#MOST_CLIENTS] clients that are not yet connected, of which the oldest is
/// closed when a new one arrives. The timeout for the greeting is [#SILENT_NANOS], and the timeout
/// for the first messages is [#FINISH_NANOS].
final class OfiListener implements Listener {
  private static final int MOST_CLIENTS = 64;
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long FINISH_NANOS = TimeUnit.SECONDS.toNanos(10);

  /// A client that is not yet connected.
  private static final class Client {
    private final ControlSocket control;
    private final long deadline = System.nanoTime() + SILENT_NANOS;
    private @Nullable PortMaker maker;
    private @Nullable PortSpec wanted;

    Client(ControlSocket control) {
      this.control = control;
    }

    boolean isFor(PortSpec spec) {
      return wanted == null || wanted.equals(spec);
    }

    void drop() {
      if (maker != null) {
        maker.abandon();
      }
      control.close();
    }
  }

  private final String provider;
  private final ArrayDeque<Client> clients = new ArrayDeque<>();
  private int fd;

  /// @param fd a listening socket, which is owned by this object from now on
  OfiListener(String provider, int fd) {
    this.provider = provider;
    this.fd = fd;
  }

  @Override
  public @Nullable Port accept(PortSpec spec, long timeoutNanos) throws IOException {
    OfiDevice.check(spec);
    long end = System.nanoTime() + timeoutNanos;
    while (true) {
      int count = acceptSockets();
      for (int i = 0; i < count; i++) {
        Client client = take(spec);
        Port port = client == null ? null : advance(client, spec);
        if (port != null) {
          return port;
        }
      }
      if (timeoutNanos >= 0 && System.nanoTime() - end >= 0) {
        return null;
      }
      ControlSocket.nap();
    }
  }

  /// @return the number of clients
  private synchronized int acceptSockets() throws DeviceException {
    if (fd < 0) {
      throw DeviceException.listenerClosed();
    }
    int socket = Sockets.accept4(fd, Sockets.SOCK_NONBLOCK);
    while (socket >= 0) {
      if (clients.size() == MOST_CLIENTS) {
        clients.remove().drop();
      }
      add(new ControlSocket(socket));
      socket = Sockets.accept4(fd, Sockets.SOCK_NONBLOCK);
    }
    return clients.size();
  }

  private void add(ControlSocket control) {
    try {
      control.checkUser();
      clients.add(new Client(control));
    } catch (IOException e) {
      control.close();
    }
  }

  /// Removes the client that was checked least recently, if it is suitable for an accept with this
  /// `spec`.
  private synchronized @Nullable Client take(PortSpec spec) {
    Client client = clients.poll();
    if (client != null && !client.isFor(spec)) {
      clients.add(client);
      return null;
    }
    return client;
  }

  private synchronized void putBack(Client client) {
    if (fd < 0) {
      client.drop();
    } else {
      clients.add(client);
    }
  }

  /// Advances the connection of a client as far as possible without waiting.
  ///
  /// @return the port, or null if the client is not connected yet, in which case it is returned to
  ///   the list unless it has disconnected or violated the protocol
  private @Nullable Port advance(Client client, PortSpec spec) throws IOException {
    try {
      PortMaker maker = client.maker == null ? greet(client, spec) : client.maker;
      Port port = maker == null ? null : maker.advance();
      if (port == null) {
        putBack(client);
      }
      return port;
    } catch (DeviceException gone) {
      client.drop();
      return null;
    } catch (IOException | RuntimeException e) {
      client.drop();
      throw e;
    }
  }

  /// @return the maker, or null if the client has not sent its greeting
  private @Nullable PortMaker greet(Client client, PortSpec spec) throws IOException {
    Greeting hello = client.control.hear(Greeting.HELLO);
    if (hello == null) {
      if (System.nanoTime() - client.deadline >= 0) {
        throw new PeerGoneException(Fault.TIMED_OUT, "the peer says nothing");
      }
      return null;
    }
    PortMaker maker = new PortMaker(provider, spec);
    client.maker = maker;
    client.wanted = spec;
    int transfer = Math.min(hello.transferBytes(), spec.transferBytes());
    client.control.say(maker.greeting(Greeting.ACCEPTED, transfer));
    long end = System.nanoTime() + FINISH_NANOS;
    maker.begin(client.control, hello, transfer, false, end);
    return maker;
  }

  @Override
  public synchronized void close() {
    if (fd >= 0) {
      int _ = Files.close(fd);
      fd = -1;
      clients.forEach(Client::drop);
      clients.clear();
    }
  }
}
