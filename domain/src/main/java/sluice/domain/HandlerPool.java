package sluice.domain;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/// A pool of a domain as the JDK's asynchronous channels see it, which run their handlers there.
/// Any thread may call.
///
/// A group of channels does not expect a pool that refuses: it leaves its own end unfinished then,
/// and its threads wait for ever. After the end of the domain, tasks run in disposable threads:
/// handlers come to a closed gate there, and threads of the group find that it was shut down.
final class HandlerPool extends AbstractExecutorService {
  private final DomainThreads threads;
  private final ExecutorService pool;
  private final boolean isShared;

  /// @param isShared whether a group that ends leaves the pool as it is
  HandlerPool(DomainThreads threads, ExecutorService pool, boolean isShared) {
    this.threads = threads;
    this.pool = pool;
    this.isShared = isShared;
  }

  @Override
  public void execute(Runnable task) {
    try {
      if (!threads.hasEnded()) {
        pool.execute(task);
        return;
      }
    } catch (RuntimeException | Error e) {
      if (!threads.hasEnded()) {
        throw e;
      }
    }
    threads.aside(task);
  }

  @Override
  public void shutdown() {
    if (!isShared) {
      pool.shutdown();
    }
  }

  @Override
  public List<Runnable> shutdownNow() {
    return isShared ? List.of() : pool.shutdownNow();
  }

  @Override
  public boolean isShutdown() {
    return !isShared && pool.isShutdown();
  }

  @Override
  public boolean isTerminated() {
    return !isShared && pool.isTerminated();
  }

  @Override
  public boolean awaitTermination(long time, TimeUnit unit) throws InterruptedException {
    return !isShared && pool.awaitTermination(time, unit);
  }
}
