package sluice.fs.fuse;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import sluice.sys.Files;

/// Notices to the kernel about directories, on a thread of their own. Any worker may call.
///
/// A notice waits in the kernel for pages that another listing of the directory may have locked,
/// while its process waits for a worker of this mount (its buffer may be a map of a file here). So
/// no worker waits for a notice longer than a moment.
///
/// Limits: 256 notices that wait; further notices are left out, and then the kernel keeps a list.
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

  /// @param fd of the device, for this alone; closed by it
  FuseNotices(int fd) {
    this.fd = fd;
  }

  /// A notice to send.
  interface Notice {
    void send(int fd);
  }

  /// Sends a notice; returns when it was taken, or after a moment.
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
