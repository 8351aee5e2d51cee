package sluice.domain;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/// An adapter through which the JDK's asynchronous channels run their handlers in a pool of a
/// domain. Any thread may call.
///
/// A channel group does not expect its pool to refuse tasks: it would leave its own end unfinished,
/// and its threads would wait forever. So after the end of the domain, tasks run in disposable
/// threads. There handlers run into a closed gate, and threads of the group find that it was shut
/// down.
final class HandlerPool extends AbstractExecutorService {
  private final DomainThreads threads;
  private final ExecutorService pool;
  private final boolean isShared;

  /// @param isShared true if a group that ends must not shut the pool down
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
