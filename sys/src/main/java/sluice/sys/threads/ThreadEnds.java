package sluice.sys.threads;

import org.jspecify.annotations.Nullable;

/// Waiting for the end of threads. Any thread may call. Stateless.
public final class ThreadEnds {
  private ThreadEnds() {}

  /// Waits for the end of a thread, if there is one. An interrupt does not break the wait off; it
  /// is kept.
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
