package sluice.testbase;

import java.util.concurrent.TimeUnit;

/// The time that a test gives what others bring about: 100 s, far more than it takes, and at most
/// until JUnit interrupts the test. Belongs to the thread that waits.
///
/// JUnit's time limit alone ends no loop around a call that an interrupt does not end, or that
/// returns at once while its thread is interrupted, as a select and a park do.
public final class Patience {
  public static final long SECONDS = 100;

  private final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);

  /// A question that may fail.
  public interface Condition {
    boolean holds() throws Exception;
  }

  /// Called in each round of a loop.
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

  /// Asks again and again.
  ///
  /// @param what that is waited for
  /// @throws AssertionError when the time is over, or the thread is interrupted
  public static void until(String what, Condition condition) throws Exception {
    Patience patience = new Patience();
    while (!condition.holds()) {
      patience.check(what);
      Thread.sleep(1);
    }
  }

  /// Waits for the end of a process.
  ///
  /// @return its exit code
  /// @throws AssertionError when it had to be killed
  public static int end(Process process) throws InterruptedException {
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("has not ended in time: " + process.info().commandLine());
    }
    return process.exitValue();
  }

  /// Waits for the end of a thread.
  public static void end(Thread thread) throws InterruptedException {
    thread.join(TimeUnit.SECONDS.toMillis(SECONDS));
    if (thread.isAlive()) {
      AssertionError failure = new AssertionError(thread + " has not ended in time");
      failure.setStackTrace(thread.getStackTrace());
      throw failure;
    }
  }

  /// Kills a process that has not ended in time, which ends the reading of what it writes.
  public static void limit(Process process) {
    var _ =
        process
            .onExit()
            .orTimeout(SECONDS, TimeUnit.SECONDS)
            .exceptionally(late -> process.destroyForcibly());
  }
}
