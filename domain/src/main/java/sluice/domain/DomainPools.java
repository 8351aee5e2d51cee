package sluice.domain;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.domain.inside.OwnPool;

/// The thread pools of one domain. These are replacements for the JVM's shared pools, which are
/// created on first use, and pools created by the domain. All of them are shut down when the domain
/// is terminated. Any thread may call.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | made, common, delays, ofClients | any | under the lock | under the lock |
final class DomainPools {
  private static final int COMMON_THREADS = Math.min(4, Runtime.getRuntime().availableProcessors());

  private final DomainThreads threads;
  private final List<Supplier<@Nullable ExecutorService>> made = new ArrayList<>();
  private @Nullable ForkJoinPool common;
  private @Nullable ScheduledExecutorService delays;
  private @Nullable ExecutorService ofClients;

  DomainPools(DomainThreads threads) {
    this.threads = threads;
  }

  /// Shuts down a pool. The pool calls `interrupt` on its threads, which may be code of the domain
  /// that reaches closed gates. By then the pool has been shut down, and the domain interrupts the
  /// threads itself.
  static void shutDown(ExecutorService service) {
    try {
      if (service instanceof OwnPool own) {
        own.sluiceShutdown();
      } else {
        service.shutdownNow();
      }
    } catch (RuntimeException | Error e) {
      // This is a closed gate; see above.
    }
  }

  /// Records a pool until it has terminated, in order to shut it down with the domain. The
  /// reference is weak if the threads of the pool keep it reachable, or if the JDK shuts it down
  /// when it is no longer used.
  void made(ExecutorService pool) {
    boolean endsAlone =
        pool instanceof ThreadPoolExecutor
            || pool.getClass().getSimpleName().startsWith("AutoShutdown");
    synchronized (this) {
      made.removeIf(each -> isGone(each.get()));
      made.add(endsAlone ? new WeakReference<>(pool)::get : () -> pool);
    }
    if (threads.hasEnded()) {
      shutDown(pool);
    }
  }

  /// Returns true if a pool has terminated. This is not checked for a pool of a domain's class,
  /// because its `isTerminated` method may be code of the domain.
  private static boolean isGone(@Nullable ExecutorService pool) {
    return pool == null || (!(pool instanceof OwnPool) && pool.isTerminated());
  }

  /// Returns the executor for tasks that are submitted without one.
  Executor executor() {
    return threads.isCooperative() ? handlers() : common();
  }

  /// Returns the pool for handlers of the JDK's asynchronous channels.
  ExecutorService handlers() {
    return threads.isCooperative()
        ? Executors.newThreadPerTaskExecutor(task -> threads.make(null, task, false))
        : common();
  }

  /// Returns the replacement for the JVM's common pool. It has at most four workers, which are
  /// daemon threads of the domain and terminate after a second without a task.
  synchronized ForkJoinPool common() {
    ForkJoinPool known = common;
    if (known == null) {
      known =
          new ForkJoinPool(
              COMMON_THREADS,
              threads::worker,
              null,
              true,
              0,
              COMMON_THREADS,
              0,
              null,
              1,
              TimeUnit.SECONDS);
      common = known;
    }
    return known;
  }

  /// Returns the executor for HTTP clients that are created without one. Its threads are like those
  /// that the JDK would start: they belong to the domain's group and are not counted before they
  /// run its code. They terminate after a second without a task.
  synchronized Executor ofClients() {
    ExecutorService known = ofClients;
    if (known == null) {
      known =
          new ThreadPoolExecutor(
              0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), threads::ofJdk);
      ofClients = known;
    }
    return known;
  }

  /// Returns the executor for delayed tasks. Its only thread terminates after a second without a
  /// task.
  synchronized ScheduledExecutorService delays() {
    ScheduledExecutorService known = delays;
    if (known == null) {
      ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(1, threads::delaying);
      pool.setKeepAliveTime(1, TimeUnit.SECONDS);
      pool.allowCoreThreadTimeOut(true);
      pool.setRemoveOnCancelPolicy(true);
      delays = pool;
      return pool;
    }
    return known;
  }

  /// Returns all existing pools, each to be passed to [#shutDown].
  synchronized List<ExecutorService> all() {
    List<ExecutorService> all = new ArrayList<>();
    add(all, common);
    add(all, delays);
    add(all, ofClients);
    made.forEach(each -> add(all, each.get()));
    return all;
  }

  private static void add(List<ExecutorService> all, @Nullable ExecutorService pool) {
    if (pool != null) {
      all.add(pool);
    }
  }
}
