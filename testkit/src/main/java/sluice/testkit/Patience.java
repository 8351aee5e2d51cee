package sluice.testkit;

import java.util.concurrent.TimeUnit;

/// The time that a test gives a loop which waits for something: 100 s, far more than it takes, and
/// at most until JUnit interrupts the test. Belongs to the thread that waits.
///
/// JUnit's time limit alone ends no loop around a call that an interrupt does not end, or that
/// returns at once while its thread is interrupted, as a select does.
public final class Patience {
  static final long SECONDS = 100;

  private final long end = System.nanoTime() + SECONDS * 1_000_000_000L;

  /// Kills a process that has not ended in time, which ends the reading of what it writes.
  public static void limit(Process process) {
    var _ =
        process
            .onExit()
            .orTimeout(SECONDS, TimeUnit.SECONDS)
            .exceptionally(late -> process.destroyForcibly());
  }

  /// Called in each round of the loop.
  ///
  /// @param what that is waited for
  /// @throws AssertionError when the time is over, or the thread is interrupted
  public void check(String what) {
    if (Thread.interrupted()) {
      throw new AssertionError("interrupted while waiting for: " + what);
    }
    if (System.nanoTime() - end > 0) {
      throw new AssertionError("did not come within " + SECONDS + " s: " + what);
    }
  }
}
