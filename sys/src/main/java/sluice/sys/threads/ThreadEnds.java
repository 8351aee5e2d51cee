package sluice.sys.threads;

import org.jspecify.annotations.Nullable;

/// Waits for threads to end. Stateless and safe for use by any thread.
public final class ThreadEnds {
  private ThreadEnds() {}

  /// Waits for the end of a thread, if there is one. An interrupt does not end the wait; the
  /// caller's interrupt status is restored afterwards.
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
