package sluice.domain;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/// The domain's pool as the JDK's asynchronous channels see it, which run their handlers there. Any
/// thread may call.
///
/// A group shuts its pool down when it ends; the domain's is not its to end. Handlers that come
/// after the end of the domain are dropped.
final class HandlerPool extends AbstractExecutorService {
  private final DomainThreads threads;

  HandlerPool(DomainThreads threads) {
    this.threads = threads;
  }

  @Override
  public void execute(Runnable handler) {
    try {
      threads.executor().execute(handler);
    } catch (RejectedExecutionException e) {
      // The domain has ended: nothing of it runs any more.
    }
  }

  @Override
  public void shutdown() {}

  @Override
  public List<Runnable> shutdownNow() {
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public boolean isTerminated() {
    return false;
  }

  @Override
  public boolean awaitTermination(long time, TimeUnit unit) {
    return false;
  }
}
