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

/// The pools of threads of one domain: those that it has in place of the JVM's, made when they are
/// first asked for, and those that it has made. All are shut down when it ends. Any thread may
/// call.
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

  /// A pool calls `interrupt` of its threads, which may be code of the domain, whose gates are
  /// closed: the pool is shut down then, and its threads are interrupted as the domain's.
  static void shutDown(ExecutorService service) {
    try {
      if (service instanceof OwnPool own) {
        own.sluiceShutdown();
      } else {
        service.shutdownNow();
      }
    } catch (RuntimeException | Error e) {
      // See above.
    }
  }

  /// Remembers a pool until it has ended; at the domain's end it is shut down. It is not held for
  /// that if its threads hold it, or if the JDK shuts it down when it is no longer used.
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

  /// A pool of a class of the domain is not asked: its `isTerminated` may be the domain's.
  private static boolean isGone(@Nullable ExecutorService pool) {
    return pool == null || (!(pool instanceof OwnPool) && pool.isTerminated());
  }

  /// Returns what runs tasks that are given no executor.
  Executor executor() {
    return threads.isCooperative() ? handlers() : common();
  }

  /// Returns the pool for handlers of the JDK's asynchronous channels.
  ExecutorService handlers() {
    return threads.isCooperative()
        ? Executors.newThreadPerTaskExecutor(task -> threads.make(null, task, false))
        : common();
  }

  /// Returns the pool in place of the JVM's common one: four workers at most, daemons of the
  /// domain, which end when they have had no task for a second.
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

  /// Returns threads for HTTP clients that are given none, as the JDK would start them: of the
  /// domain's group, and not counted before they run its code. They end when they have had no task
  /// for a second.
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

  /// Returns what ends delays, by a thread that ends when it has had none for a second.
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

  /// Returns the pools there are, each to be given to [#shutDown].
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
