package sluice.bench.companion;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/// A server of [CompanionBench] with an application of its own. Started and stopped by the main
/// thread; its threads are those that its kind needs.
///
/// Messages have [#MESSAGE_BYTES] bytes and come back as they are; one whose byte at [#KIND] is not
/// zero is for the application, whose code takes as long as the bench says.
abstract class CompanionServer implements AutoCloseable {
  static final int MESSAGE_BYTES = 16;

  /// Index of the byte that says which thread a message is for.
  static final int KIND = 8;

  static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final List<Thread> threads = new ArrayList<>();

  /// Processor time the application takes for a message.
  private final long nanosEach;

  volatile boolean stopping;

  /// Processor time of the application's code itself.
  private volatile long workNanos;

  private volatile long works;

  CompanionServer(long nanosEach) {
    this.nanosEach = nanosEach;
  }

  /// What a thread does from start to stop; it completes the future once it serves.
  interface Body {
    void run(CompletableFuture<Integer> port) throws Exception;
  }

  /// Starts a thread and waits until it serves.
  ///
  /// @return what the thread completed its future with
  int start(String name, Body body) throws InterruptedException {
    CompletableFuture<Integer> ready = new CompletableFuture<>();
    threads.add(
        Thread.ofPlatform()
            .name(name)
            .start(() -> {
              try {
                body.run(ready);
              } catch (Exception | Error e) {
                if (!ready.completeExceptionally(e) && !stopping) {
                  throw new IllegalStateException(name + " failed", e);
                }
              }
            }));
    try {
      return ready.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(name + " did not start", e.getCause());
    }
  }

  abstract int port();

  abstract void wakeAll();

  /// The application's code for one message.
  @SuppressWarnings("NonAtomicVolatileUpdate") // one application thread
  final void work() {
    if (nanosEach > 0) {
      long before = THREADS.getCurrentThreadCpuTime();
      long spent = 0;
      while (spent < nanosEach) { // processor time: it does not depend on what else is running
        spent = THREADS.getCurrentThreadCpuTime() - before;
      }
      workNanos += spent;
    }
    works++;
  }

  final long workNanos() {
    return workNanos;
  }

  /// Messages the application has worked on.
  final long works() {
    return works;
  }

  /// Processor time of all threads so far, without the application's own code.
  final long cpuNanos() {
    long sum = -workNanos;
    for (Thread thread : threads) {
      sum += THREADS.getThreadCpuTime(thread.threadId());
    }
    return sum;
  }

  @Override
  public final void close() {
    stopping = true;
    for (Thread thread : threads) {
      try {
        do {
          wakeAll();
        } while (!thread.join(java.time.Duration.ofMillis(50)));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
