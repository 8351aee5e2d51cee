package sluice.loop.uring;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.ListenOptions;
import sluice.loop.sockets.KernelSockets;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.Sockets;
import sluice.sys.SysException;
import sluice.sys.uring.CompletionQueue;
import sluice.sys.uring.IoUring;
import sluice.sys.uring.IoUringProbe;

/// Tests at startup that the kernel behaves as the io_uring engine requires: success is silent, and
/// every other outcome of the same kind of send is reported in the same submission. A kernel that
/// behaves differently would lose bytes, so it is not used.
public final class IoUringSelfTest {
  private static final int LARGE_BYTES = 1 << 20;
  private static final byte[] LOOPBACK = {127, 0, 0, 1};
  private static final long TOKEN = 7;
  private static final int SILENT =
      Sockets.MSG_WAITALL | Sockets.MSG_DONTWAIT | Sockets.MSG_NOSIGNAL;

  private IoUringSelfTest() {}

  /// Runs the test.
  ///
  /// @throws IOException if io_uring cannot be used; the message states the reason and the fix
  public static void run() throws IOException {
    IoUringProbe probe = IoUringProbe.run();
    SysException refused = probe.whyNot();
    if (refused != null) {
      throw refused;
    }
    if (!probe.deferTaskrun()) {
      throw new IOException(
          "io_uring lacks SINGLE_ISSUER|DEFER_TASKRUN. Why: the kernel is older than 6.1."
              + " Fix: use a newer kernel, or --backend epoll.");
    }
    try (IoUring ring =
            IoUring.open(8, 16, IoUring.SETUP_SINGLE_ISSUER | IoUring.SETUP_DEFER_TASKRUN);
        Arena memory = Arena.ofConfined()) {
      InetSocketAddress any = new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), 0);
      int listener = KernelSockets.listen(any, ListenOptions.DEFAULT, false);
      int client = -1;
      int server = -1;
      try {
        client = KernelSockets.open(any, false);
        Sockets.setsockopt(client, Sockets.SOL_SOCKET, Sockets.SO_SNDBUF, 4096);
        expect("connect", Sockets.connect(client, KernelSockets.localAddress(listener)) == 0);
        server = Sockets.accept4(listener, 0);
        expect("accept", server >= 0);
        sends(ring, client, server, memory.allocate(LARGE_BYTES));
        server = -1;
      } finally {
        close(client);
        close(server);
        close(listener);
      }
    }
  }

  private static void sends(IoUring ring, int client, int server, MemorySegment bytes)
      throws IOException {
    expect("a send that fits is silent", send(ring, client, bytes, 64) == null);
    Integer cut = send(ring, client, bytes, LARGE_BYTES);
    expect("a short send tells its count", cut != null && cut > 0 && cut < LARGE_BYTES);
    Integer full = send(ring, client, bytes, LARGE_BYTES);
    expect(
        "a full socket tells EAGAIN",
        full != null && (full == -Errno.EAGAIN || (full >= 0 && full < LARGE_BYTES)));
    Sockets.linger(server, 0);
    Files.close(server);
    Integer reset = send(ring, client, bytes, 64);
    expect(
        "a reset is told", reset != null && (reset == -Errno.ECONNRESET || reset == -Errno.EPIPE));
  }

  private static @Nullable Integer send(IoUring ring, int fd, MemorySegment bytes, int length)
      throws IOException {
    ring.submission().send(fd, false, bytes, 0, length, SILENT, true, TOKEN);
    int entered = ring.enter(0, 0);
    expect("io_uring_enter", entered >= 0);
    CompletionQueue completion = ring.completion();
    if (completion.available() == 0) {
      return null;
    }
    int result = completion.result(0);
    completion.advance(1);
    return result;
  }

  private static void expect(String what, boolean holds) throws IOException {
    if (!holds) {
      throw new IOException(
          "the io_uring self-test failed at: "
              + what
              + ". Why: this kernel's sends differ from what the engine relies on."
              + " Fix: use --backend epoll and report the kernel version.");
    }
  }

  private static void close(int fd) {
    if (fd >= 0) {
      Files.close(fd);
    }
  }
}
