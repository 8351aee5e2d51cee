package sluice.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.http.front.FrontApplication;
import sluice.http.front.FrontLink;
import sluice.http.front.FrontedConnection;
import sluice.memory.View;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// An application behind a front that gives every byte to a server on another port, and sends what
/// that replies. Each connection has two threads, which block as those of a blocking application
/// do.
final class RelayedApplication implements FrontApplication, AutoCloseable {
  private static final int BUFFER_BYTES = 64 << 10;
  private static final byte[] END = {};
  private static final byte[] RESET = {};

  private final int port;
  private final int listening;
  private final int frontPort;
  private final Set<Relay> relays = ConcurrentHashMap.newKeySet();

  /// @param port of the server
  RelayedApplication(int port) throws SysException {
    this.port = port;
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    listening = Sockets.socket(SocketAddresses.family(any), Sockets.SOCK_STREAM, 0);
    Sockets.bind(listening, any);
    Sockets.listen(listening, 1024);
    SocketAddress bound = Sockets.getsockname(listening);
    frontPort = bound instanceof InetSocketAddress inet ? inet.getPort() : -1;
  }

  /// The listening socket, for the front.
  int fd() {
    return listening;
  }

  /// Where clients connect to.
  int frontPort() {
    return frontPort;
  }

  @Override
  public @Nullable FrontLink connected(FrontedConnection connection) {
    int fd = connection.duplicate();
    if (fd < 0) {
      return null;
    }
    Relay relay = new Relay(connection, fd);
    relays.add(relay);
    Thread.ofVirtual().start(relay::requests);
    return relay;
  }

  @Override
  public void secured() {}

  @Override
  public void told() {}

  @Override
  public void close() {
    relays.forEach(Relay::reset);
    Files.close(listening);
  }

  private final class Relay implements FrontLink {
    private final FrontedConnection connection;
    private final int fd;
    private final BlockingQueue<byte[]> toSend = new LinkedBlockingQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();

    Relay(FrontedConnection connection, int fd) {
      this.connection = connection;
      this.fd = fd;
    }

    // ---- the front's loop ---------------------------------------------------------------------

    @Override
    public boolean received(View view, int from, int to) {
      byte[] bytes = new byte[to - from];
      view.copyTo(from, bytes, 0, bytes.length);
      int held = waiting.addAndGet(bytes.length);
      toSend.add(bytes);
      return held < BUFFER_BYTES;
    }

    @Override
    public boolean holdsUnread() {
      return false;
    }

    @Override
    public void ended() {
      toSend.add(END);
    }

    @Override
    public void reset() {
      toSend.add(RESET);
    }

    // ---- threads ------------------------------------------------------------------------------

    /// From the client to the server.
    void requests() {
      try (Socket server = new Socket(InetAddress.getLoopbackAddress(), port)) {
        server.setTcpNoDelay(true);
        Thread replies = Thread.ofVirtual().start(() -> replies(server));
        forward(server);
        replies.join();
      } catch (IOException | InterruptedException gone) {
        // both ends are closed below
      } finally {
        relays.remove(this);
        Files.close(fd);
        connection.closed(false);
      }
    }

    @SuppressWarnings("ReferenceEquality") // marks, not contents
    private void forward(Socket server) throws IOException, InterruptedException {
      OutputStream out = server.getOutputStream();
      while (true) {
        byte[] next = toSend.take();
        if (next == RESET) {
          server.setSoLinger(true, 0);
          server.close();
          return;
        }
        if (next == END) {
          server.shutdownOutput();
          return;
        }
        try {
          out.write(next);
        } catch (IOException closed) {
          return;
        }
        int held = waiting.addAndGet(-next.length);
        if (held < BUFFER_BYTES && held + next.length >= BUFFER_BYTES) {
          connection.resume();
        }
      }
    }

    /// From the server to the client.
    private void replies(Socket server) {
      try (Arena arena = Arena.ofShared()) {
        MemorySegment buffer = arena.allocate(BUFFER_BYTES);
        byte[] bytes = new byte[BUFFER_BYTES];
        InputStream in = server.getInputStream();
        for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
          MemorySegment.copy(MemorySegment.ofArray(bytes), 0, buffer, 0, n);
          send(buffer, n);
        }
        if (connection.shutsDownOutput()) {
          int _ = Sockets.shutdown(fd, Sockets.SHUT_WR);
        }
      } catch (IOException broken) {
        toSend.add(RESET);
      }
    }

    private void send(MemorySegment buffer, int length) throws IOException {
      int sent = 0;
      while (sent < length) {
        int n = connection.send(fd, buffer, sent, length - sent);
        if (n == -Errno.EAGAIN) {
          LockSupport.parkNanos(100_000);
        } else if (n < 0) {
          throw new IOException(Errno.name(n));
        }
        sent += Math.max(n, 0);
      }
    }
  }
}
