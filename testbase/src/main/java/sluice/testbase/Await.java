package sluice.testbase;

import java.util.concurrent.TimeUnit;

/// The time that a test gives what other threads, processes or the kernel bring about: 100 s, far
/// more than it takes, and at most until JUnit interrupts the test. Belongs to the thread that
/// waits.
///
/// JUnit's time limit alone ends no loop around a call that an interrupt does not end, or that
/// returns at once while its thread is interrupted, as a select and a park do.
public final class Await {
  public static final long SECONDS = 100;

  private final long limitNanos;
  private final long begin = System.nanoTime();

  /// Begins now.
  public Await() {
    this(TimeUnit.SECONDS.toNanos(SECONDS));
  }

  Await(long limitNanos) {
    this.limitNanos = limitNanos;
  }

  /// A question that may fail.
  ///
  /// @param <X> how; the compiler takes `RuntimeException` where no checked exception is thrown
  @FunctionalInterface
  public interface Condition<X extends Exception> {
    boolean holds() throws X;
  }

  /// Assertions that hold at some time.
  ///
  /// @param <X> as that of [Condition]
  @FunctionalInterface
  public interface Assertions<X extends Exception> {
    void check() throws X;
  }

  /// Called in each round of a loop.
  ///
  /// @param what that is waited for
  /// @throws AssertionError when the time is over, or the thread is interrupted
  public void check(String what) {
    if (Thread.interrupted()) {
      throw new AssertionError("interrupted while waiting for: " + what);
    }
    if (isOver()) {
      long seconds = TimeUnit.NANOSECONDS.toSeconds(limitNanos);
      throw new AssertionError("did not come within " + seconds + " s: " + what);
    }
  }

  private boolean isOver() {
    return System.nanoTime() - begin > limitNanos;
  }

  /// Checks, and lets a millisecond pass: for a loop that has more to do than to ask.
  ///
  /// @param what that is waited for
  /// @throws AssertionError when the time is over, or the thread is interrupted
  public void pause(String what) {
    check(what);
    try {
      Thread.sleep(1);
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while waiting for: " + what, e);
    }
  }

  /// Asks every millisecond until the answer is yes.
  ///
  /// @param what that is waited for
  /// @throws AssertionError when the time is over, or the thread is interrupted
  /// @throws X that of the question, which ends the wait
  public static <X extends Exception> void until(String what, Condition<X> condition) throws X {
    Await await = new Await();
    while (!condition.holds()) {
      await.pause(what);
    }
  }

  /// Checks every millisecond until all assertions hold. What fails says more than [#until] does:
  /// the value that was found last.
  ///
  /// @throws AssertionError the last one, when the time is over, or the thread is interrupted
  /// @throws X that of the assertions, which ends the wait
  public static <X extends Exception> void untilAsserted(Assertions<X> assertions) throws X {
    new Await().awaitAsserted(assertions);
  }

  <X extends Exception> void awaitAsserted(Assertions<X> assertions) throws X {
    while (true) {
      try {
        assertions.check();
        return;
      } catch (AssertionError failed) {
        try {
          pause("assertions");
        } catch (AssertionError over) {
          failed.addSuppressed(over);
          throw failed;
        }
      }
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
