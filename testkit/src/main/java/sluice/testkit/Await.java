package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;

/// Waits for what others bring about, as long as a busy machine needs, and not for ever. The thread
/// of a test calls.
public final class Await {
  private static final long PATIENCE_SECONDS = 60;

  private Await() {}

  /// A question that may fail.
  public interface Condition {
    boolean holds() throws Exception;
  }

  /// Asks again and again, for a minute at most.
  ///
  /// @param what is waited for, for the message of the failure
  public static void until(String what, Condition condition) throws Exception {
    long begin = System.nanoTime();
    while (!condition.holds()) {
      assertThat(System.nanoTime() - begin)
          .as("nanoseconds of waiting for: %s", what)
          .isLessThan(TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
      Thread.sleep(1);
    }
  }

  /// Waits for the end of a process.
  ///
  /// @return its exit code
  public static int end(Process process) throws InterruptedException {
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("has not ended in time: " + process.info().commandLine());
    }
    return process.exitValue();
  }

  /// Waits for the end of a thread.
  public static void end(Thread thread) throws InterruptedException {
    thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    if (thread.isAlive()) {
      AssertionError failure = new AssertionError(thread + " has not ended in time");
      failure.setStackTrace(thread.getStackTrace());
      throw failure;
    }
  }
}
