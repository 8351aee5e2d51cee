package sluice.nio;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// A call on a thread of its own. Started and joined by the test's thread.
public final class Task<T> {
  private static final long TIMEOUT_SECONDS = 60;
  private static final int STILL_SAMPLES = 5;

  private final FutureTask<T> future;
  private final Thread thread;

  private Task(FutureTask<T> future, Thread thread) {
    this.future = future;
    this.thread = thread;
  }

  /// Both kinds of thread that block in channels.
  enum Kind {
    PLATFORM,
    VIRTUAL;

    <T> Task<T> start(Callable<T> call) {
      FutureTask<T> future = new FutureTask<>(call);
      Thread thread =
          (this == VIRTUAL ? Thread.ofVirtual() : Thread.ofPlatform().daemon())
              .name("scenario")
              .start(future);
      return new Task<>(future, thread);
    }
  }

  public static <T> Task<T> start(Callable<T> call) {
    return Kind.PLATFORM.start(call);
  }

  public Thread thread() {
    return thread;
  }

  boolean isDone() {
    return future.isDone();
  }

  public T join() throws Exception {
    try {
      return future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError("the task failed: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw stuck(e);
    }
  }

  /// What the call threw; a result instead is an error.
  public Throwable failure() throws InterruptedException {
    Throwable failure = outcome();
    if (failure == null) {
      throw new AssertionError("no exception, but " + future.resultNow());
    }
    return failure;
  }

  /// What the call threw, or null when it returned.
  public @Nullable Throwable outcome() throws InterruptedException {
    try {
      future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      return null;
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      return cause == null ? e : cause;
    } catch (TimeoutException e) {
      throw stuck(e);
    }
  }

  /// Returns when the thread has stood in the same place, within a method of one of these names,
  /// for a while.
  public void awaitBlocked(String... methods) throws InterruptedException {
    List<String> wanted = Arrays.asList(methods);
    List<StackTraceElement> last = List.of();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
    for (int still = 0; still < STILL_SAMPLES; ) {
      List<StackTraceElement> now = List.of(thread.getStackTrace());
      boolean inside = now.stream().anyMatch(frame -> wanted.contains(frame.getMethodName()));
      inside &= now.stream().noneMatch(Task::loadsClasses); // a slow disk is no channel
      still = inside && now.equals(last) ? still + 1 : 0;
      last = now;
      if (future.isDone() || System.nanoTime() > deadline) {
        throw new AssertionError("not blocked in " + wanted + ": " + future + " " + now);
      }
      Thread.sleep(5);
    }
  }

  private static boolean loadsClasses(StackTraceElement frame) {
    String method = frame.getMethodName();
    return method.equals("<clinit>") || method.equals("loadClass");
  }

  private AssertionError stuck(TimeoutException e) {
    AssertionError error = new AssertionError("the task did not end: " + thread, e);
    error.setStackTrace(thread.getStackTrace());
    return error;
  }
}
