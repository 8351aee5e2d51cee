package sluice.sys.threads;

import java.time.Duration;

/// Waits of threads that nothing of ours interrupts. An interrupt of one comes from code beside it,
/// such as that of a plug-in, and is no reason to end: it is taken, so that no later wait ends at
/// once, and the wait goes on. Any thread may call. Stateless.
public final class Uninterrupted {
  private Uninterrupted() {}

  /// A wait that an interrupt breaks off.
  @FunctionalInterface
  public interface Wait {
    /// @throws InterruptedException when it was broken off; it can be begun again
    void await() throws InterruptedException;
  }

  /// A wait of at most some time.
  @FunctionalInterface
  public interface TimedWait {
    /// @param nanos at least 1
    /// @return whether it was not over before
    boolean await(long nanos) throws InterruptedException;
  }

  /// Waits until the wait ends.
  public static void await(Wait wait) {
    while (true) {
      try {
        wait.await();
        return;
      } catch (InterruptedException e) {
        // See above.
      }
    }
  }

  /// Waits until the wait ends or the time is over.
  ///
  /// @return what the wait returned
  public static boolean await(Duration atMost, TimedWait wait) {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (true) {
      try {
        return wait.await(Math.max(1, deadline - System.nanoTime()));
      } catch (InterruptedException e) {
        // See above.
      }
    }
  }

  /// Sleeps once; an interrupt ends the sleep, so that the caller looks around.
  public static void sleep(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      // See above.
    }
  }
}
