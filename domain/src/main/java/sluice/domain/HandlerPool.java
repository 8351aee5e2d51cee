package sluice.domain;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/// An adapter that makes the JDK's asynchronous channels run their handlers in a pool of a domain.
/// Any thread may call.
///
/// A channel group does not expect its pool to reject tasks. If that happens, the group does not
/// complete its termination, and its threads wait forever. Therefore tasks are run in disposable
/// threads after the domain has ended. Handlers then reach a closed gate, and threads of the group
/// find that it has been shut down.
final class HandlerPool extends AbstractExecutorService {
  private final DomainThreads threads;
  private final ExecutorService pool;
  private final boolean isShared;

  /// @param isShared true if a terminating group must not shut down the pool
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
