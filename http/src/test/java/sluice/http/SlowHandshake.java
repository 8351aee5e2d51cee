package sluice.http;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;
import sluice.sys.SysException;
import sluice.testkit.machine.Privileges;

/// A client that does not hear the server's SYN-ACK until it is let in. One thread uses it.
final class SlowHandshake implements AutoCloseable {
  /// `SO_DETACH_FILTER` of `asm-generic/socket.h`.
  private static final int SO_DETACH_FILTER = 27;

  /// A little less than the second after which the kernel repeats a SYN-ACK.
  private static final long IN_TIME_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final SocketAddress server;
  private final int fd;
  private final long begun = System.nanoTime();

  SlowHandshake(int port) throws IOException {
    Privileges.requireSocketFilters();
    server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    int type = Sockets.SOCK_STREAM | Sockets.SOCK_NONBLOCK;
    fd = Sockets.socket(SocketAddresses.AF_INET, type, 0);
    Sockets.dropSyn(fd); // segments with SYN, a SYN-ACK among them
    int result = Sockets.connect(fd, server);
    if (result != -Errno.EINPROGRESS) {
      throw new IOException("the handshake was not held up: " + result);
    }
  }

  /// Hears from now on.
  ///
  /// @return whether that was before the SYN-ACK came again
  boolean letIn() throws IOException {
    Sockets.setsockopt(fd, Sockets.SOL_SOCKET, SO_DETACH_FILTER, 0);
    return System.nanoTime() - begun < IN_TIME_NANOS;
  }

  boolean connected() {
    try {
      return Sockets.getpeername(fd) != null;
    } catch (SysException e) {
      return false;
    }
  }

  /// Waits for the connection, sends a request and reads until the server closes.
  HttpAnswer get(String target) throws IOException, InterruptedException {
    byte[] text = HttpPeer.text("GET", target).getBytes(StandardCharsets.ISO_8859_1);
    StringBuilder reply = new StringBuilder();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment request = arena.allocateFrom(ValueLayout.JAVA_BYTE, text);
      MemorySegment buffer = arena.allocate(16 << 10);
      long end = System.nanoTime() + TIMEOUT_NANOS;
      boolean sent = false;
      while (System.nanoTime() < end) {
        int n =
            sent
                ? Sockets.recv(fd, buffer, 0, (int) buffer.byteSize(), 0)
                : Sockets.send(fd, request, 0, text.length, Sockets.MSG_NOSIGNAL);
        if (n == -Errno.EAGAIN || n == -Errno.ENOTCONN) {
          Thread.sleep(2);
        } else if (n < 0) {
          throw new IOException((sent ? "recv: " : "send: ") + Errno.name(n));
        } else if (!sent) {
          sent = true;
        } else if (n == 0) {
          return answer(reply.toString());
        } else {
          byte[] bytes = buffer.asSlice(0, n).toArray(ValueLayout.JAVA_BYTE);
          reply.append(new String(bytes, StandardCharsets.ISO_8859_1));
        }
      }
    }
    throw new IOException("no answer in time: '" + reply + "'");
  }

  private static HttpAnswer answer(String reply) {
    int head = reply.indexOf("\r\n\r\n");
    List<String> fields = new ArrayList<>(List.of(reply.substring(0, head).split("\r\n")));
    int status = Integer.parseInt(fields.removeFirst().substring(9, 12));
    byte[] body = reply.substring(head + 4).getBytes(StandardCharsets.ISO_8859_1);
    return new HttpAnswer(status, fields, body);
  }

  @Override
  public void close() {
    Files.close(fd);
  }
}
