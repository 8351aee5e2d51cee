package sluice.domain.guest;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.TimeUnit;
import java.util.stream.Gatherers;
import java.util.stream.Stream;

/// Programs like those of [HoldUps] that block JVM-wide threads: the timer thread, the workers of
/// the common pool, the carriers of virtual threads, logging threads. Loaded only in domains.
@SuppressWarnings({"all", "unused", "unchecked", "overrides", "removal"})
public final class HoldUpsOfThreads extends HoldUps {
  static void trap() {
    set();
    sleep();
  }

  public static final class DelayThatSleeps implements Runnable {
    public void run() {
      new CompletableFuture<String>()
          .completeOnTimeout("x", 1, TimeUnit.MILLISECONDS)
          .thenRun(HoldUpsOfThreads::trap);
      sleep();
    }
  }

  public static final class TimeoutThatLoops implements Runnable {
    public void run() {
      new CompletableFuture<String>()
          .orTimeout(1, TimeUnit.MILLISECONDS)
          .exceptionally(problem -> {
            set();
            loop();
            return "";
          });
      sleep();
    }
  }

  public static final class ExecutorOfADelayThatSleeps implements Runnable {
    public void run() {
      CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS, task -> trap())
          .execute(() -> sink++);
      sleep();
    }
  }

  static final class Task extends RecursiveAction {
    @Override
    protected void compute() {
      trap();
    }
  }

  public static final class ForkedTasksThatSleep implements Runnable {
    public void run() {
      for (int i = 0; i < 20; i++) {
        new Task().fork();
      }
      sleep();
    }
  }

  public static final class InvokedTasksThatSleep implements Runnable {
    public void run() {
      ForkJoinTask.invokeAll(List.of(new Task(), new Task(), new Task()));
    }
  }

  /// Runs more looping mappers than there are carriers.
  public static final class ConcurrentMappersThatLoop implements Runnable {
    public void run() {
      Stream.iterate(0, i -> i + 1)
          .limit(64)
          .gather(
              Gatherers.mapConcurrent(
                  64,
                  i -> {
                    set();
                    loop();
                    return i;
                  }))
          .toList();
    }
  }

  /// A value in a message that a handler formats while it holds its lock.
  public static final class LoggedValueThatSleeps implements Runnable {
    static final class Value {
      @Override
      public String toString() {
        trap();
        return "";
      }
    }

    public void run() {
      System.getLogger("guest").log(System.Logger.Level.ERROR, "{0}", new Value());
      sleep();
    }
  }
}
