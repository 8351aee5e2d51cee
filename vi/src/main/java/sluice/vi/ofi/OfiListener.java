package sluice.vi.ofi;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.sys.Files;
import sluice.sys.Sockets;
import sluice.vi.device.Listener;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;

/// Takes connections at a name of UNIX sockets, in the thread that accepts. Any thread may call; a
/// thread that waits naps, so that a virtual one frees its carrier.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `fd` | the closer | under the monitor | under the monitor |
///
/// Limits: a peer that connects and says nothing holds others up for a second.
final class OfiListener implements Listener {
  private static final long GREETING_NANOS = TimeUnit.SECONDS.toNanos(1);

  /// For the first messages, which a process that is stopped would hold up.
  private static final long FINISH_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final String provider;
  private int fd;

  /// @param fd a listening socket, from now on this object's
  OfiListener(String provider, int fd) {
    this.provider = provider;
    this.fd = fd;
  }

  private synchronized int acceptSocket() throws IOException {
    if (fd < 0) {
      throw new IOException("the listener is closed");
    }
    return Sockets.accept4(fd, Sockets.SOCK_NONBLOCK);
  }

  @Override
  public @Nullable Port accept(PortSpec spec, long timeoutNanos) throws IOException {
    OfiDevice.check(spec);
    long end = System.nanoTime() + timeoutNanos;
    while (true) {
      int socket = acceptSocket();
      Port port = socket < 0 ? null : open(new ControlSocket(socket), spec);
      if (port != null) {
        return port;
      }
      if (timeoutNanos >= 0 && System.nanoTime() - end >= 0) {
        return null;
      }
      if (socket < 0) {
        ControlSocket.nap();
      }
    }
  }

  /// @return null when the peer is another user's, breaks the protocol, or has gone meanwhile
  private @Nullable Port open(ControlSocket control, PortSpec wanted) throws IOException {
    Greeting hello;
    try {
      control.checkUser();
      hello = control.hear(Greeting.HELLO, System.nanoTime() + GREETING_NANOS);
    } catch (IOException e) {
      hello = null;
    }
    if (hello == null) {
      control.close();
      return null;
    }
    PortMaker maker = new PortMaker(provider, control, wanted);
    try {
      int transfer = Math.min(hello.transferBytes(), wanted.transferBytes());
      Greeting answer = maker.greeting(Greeting.ACCEPTED, transfer);
      try {
        control.say(answer);
        return maker.finish(hello, transfer, false, System.nanoTime() + FINISH_NANOS);
      } catch (PeerGoneException e) {
        maker.abandon();
        return null;
      }
    } catch (IOException | RuntimeException e) {
      maker.abandon();
      throw e;
    }
  }

  @Override
  public synchronized void close() {
    if (fd >= 0) {
      int _ = Files.close(fd);
      fd = -1;
    }
  }
}
