package sluice.sys.threads;

import java.time.Duration;

/// Waits for threads that nothing in this project interrupts. An interrupt of such a thread comes
/// from unrelated code, such as a plug-in, and is no reason to end. The wait clears the interrupt,
/// so that later waits do not end at once, and goes on. Stateless and safe for use by any thread.
public final class Uninterrupted {
  private Uninterrupted() {}

  /// A wait that an interrupt ends early.
  @FunctionalInterface
  public interface Wait {
    /// Waits.
    ///
    /// @throws InterruptedException if an interrupt ended the wait; it can be repeated
    void await() throws InterruptedException;
  }

  /// A wait with a time limit.
  @FunctionalInterface
  public interface TimedWait {
    /// Waits.
    ///
    /// @param nanos the longest time to wait, at least 1
    /// @return true if the wait ended before the time was over
    /// @throws InterruptedException if an interrupt ended the wait; it can be repeated
    boolean await(long nanos) throws InterruptedException;
  }

  /// Waits until the wait ends.
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

  /// Waits until the wait ends or the time is over.
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
