package sluice.sys.threads;

import org.jspecify.annotations.Nullable;

/// Waits for threads to terminate. This class is stateless and thread-safe.
public final class ThreadEnds {
  private ThreadEnds() {}

  /// Waits until the given thread has terminated, if it is not null. An interrupt does not end the
  /// wait, and the caller's interrupt status is restored afterwards.
  public static void join(@Nullable Thread thread) {
    boolean interrupted = false;
    while (thread != null && thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
