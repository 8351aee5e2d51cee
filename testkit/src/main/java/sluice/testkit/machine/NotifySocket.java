package sluice.testkit.machine;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;

/// The service manager's end of sd_notify(3). Used by one thread.
public final class NotifySocket implements AutoCloseable {
  private final int fd;

  /// Binds a datagram socket to the address that NOTIFY_SOCKET names.
  public NotifySocket(SocketAddress address) throws IOException {
    fd = Sockets.socket(SocketAddresses.AF_UNIX, Sockets.SOCK_DGRAM, 0);
    Sockets.bind(fd, address);
  }

  /// Returns the next message, or an empty string if none comes in time.
  public String next(int seconds) throws InterruptedException {
    long end = System.nanoTime() + seconds * 1_000_000_000L;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment into = arena.allocate(4096);
      while (System.nanoTime() < end) {
        int count = Sockets.recv(fd, into, 0, 4096, Sockets.MSG_DONTWAIT);
        if (count >= 0) {
          byte[] bytes = into.asSlice(0, count).toArray(ValueLayout.JAVA_BYTE);
          return new String(bytes, StandardCharsets.UTF_8);
        }
        if (count != -Errno.EAGAIN) {
          throw new IllegalStateException(Errno.name(-count));
        }
        Thread.sleep(5);
      }
      return "";
    }
  }

  @Override
  public void close() {
    Files.close(fd);
  }
}
