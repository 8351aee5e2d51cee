package sluice.fs.fuse;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import sluice.sys.Files;

/// Sends notifications about directories to the kernel in a separate thread. This class may be used
/// by any worker.
///
/// In the kernel, a notification waits for pages that may be locked by another listing of the same
/// directory, while the process that performs this listing waits for a worker of this mount (its
/// buffer may be mapped from a file in the mount). Therefore a worker waits for a notification only
/// for a short time.
///
/// At most 256 notifications can be pending. If there are more, they are dropped, and the kernel
/// keeps the affected listing in its cache.
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

  /// Sends a notification. Returns when the kernel has accepted it, or when a short timeout
  /// expires.
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
