package sluice.fs.fuse;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import sluice.sys.Files;

/// Sends notices about directories to the kernel, from a thread of its own. Any worker may call.
///
/// In the kernel, a notice waits for pages that another listing of the directory may have locked,
/// while that listing's process waits for a worker of this mount (its buffer may be a map of a file
/// in it). So a worker waits for a notice only briefly.
///
/// Limits: 256 pending notices; further notices are dropped, and the kernel then keeps a listing.
final class FuseNotices implements AutoCloseable {
  private static final int MOST = 256;
  private static final long PATIENCE_MILLIS = 200;

  private final int fd;
  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(MOST),
          Thread.ofPlatform().daemon().name("sluice-fuse-notices").factory(),
          new ThreadPoolExecutor.DiscardPolicy());

  /// Creates a sender.
  ///
  /// @param fd a descriptor of the device for exclusive use; closed by this object
  FuseNotices(int fd) {
    this.fd = fd;
  }

  /// A notice to send.
  interface Notice {
    void send(int fd);
  }

  /// Sends a notice. Returns when the kernel has accepted it, or after a short time.
  void send(Notice notice) {
    CountDownLatch sent = new CountDownLatch(1);
    thread.execute(() -> {
      notice.send(fd);
      sent.countDown();
    });
    try {
      boolean _ = sent.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    thread.getQueue().clear();
    thread.execute(() -> Files.close(fd));
    thread.shutdown();
  }
}
