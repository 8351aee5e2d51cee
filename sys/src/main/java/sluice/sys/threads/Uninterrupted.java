package sluice.sys.threads;

import java.time.Duration;

/// Waits in threads that are never interrupted by this project. An interrupt of such a thread is
/// caused by unrelated code, such as a plug-in, and is not a reason to terminate. The interrupt is
/// cleared, so that later waits do not return immediately, and the wait continues. This class is
/// stateless and thread-safe.
public final class Uninterrupted {
  private Uninterrupted() {}

  /// A wait that may be ended early by an interrupt.
  @FunctionalInterface
  public interface Wait {
    /// Waits once.
    ///
    /// @throws InterruptedException if the thread was interrupted, in which case the wait can be
    ///   repeated
    void await() throws InterruptedException;
  }

  /// A wait that has a timeout.
  @FunctionalInterface
  public interface TimedWait {
    /// Waits once.
    ///
    /// @param nanos the timeout, at least 1
    /// @return true if the wait ended before the timeout expired
    /// @throws InterruptedException if the thread was interrupted, in which case the wait can be
    ///   repeated
    boolean await(long nanos) throws InterruptedException;
  }

  /// Waits until the given wait has ended, regardless of interrupts.
  public static void await(Wait wait) {
    while (true) {
      try {
        wait.await();
        return;
      } catch (InterruptedException e) {
        // Cleared, see the class comment.
      }
    }
  }

  /// Waits until the given wait has ended or the timeout expires, regardless of interrupts.
  ///
  /// @return the result of the wait
  public static boolean await(Duration atMost, TimedWait wait) {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (true) {
      try {
        return wait.await(Math.max(1, deadline - System.nanoTime()));
      } catch (InterruptedException e) {
        // Cleared, see the class comment.
      }
    }
  }

  /// Sleeps once. An interrupt ends the sleep early, so that the caller can check its state.
  public static void sleep(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      // Cleared, see the class comment.
    }
  }
}
