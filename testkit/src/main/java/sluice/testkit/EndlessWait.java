package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import sluice.testbase.Await;

/// A wait in the kernel without a time limit, which no interrupt ends. The waiting thread calls it.
/// If nothing else wakes it, another thread does, so that the test fails and the next one can run.
final class EndlessWait {
  private EndlessWait() {}

  /// Waits, and fails if nothing ends the wait in time.
  ///
  /// @param wait waits, and returns the number of events
  /// @param wake ends the wait
  static int of(IntSupplier wait, Runnable wake) {
    Executor later = CompletableFuture.delayedExecutor(Await.SECONDS, TimeUnit.SECONDS);
    CompletableFuture<Void> late = CompletableFuture.runAsync(wake, later);
    int count;
    boolean inTime;
    try {
      count = wait.getAsInt();
    } finally {
      inTime = late.cancel(false);
    }
    assertThat(inTime).as("something ended a wait without limit").isTrue();
    return count;
  }
}
