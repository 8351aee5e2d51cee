package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import sluice.testbase.Await;

/// A wait in the kernel that has no limit, and that no interrupt ends. Called by the thread that
/// waits; another wakes it when nothing else does, so that the test fails and the next one runs.
final class EndlessWait {
  private EndlessWait() {}

  /// @param wait returns the count of what came
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
