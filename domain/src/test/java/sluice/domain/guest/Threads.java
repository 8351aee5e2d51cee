package sluice.domain.guest;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/// Guests that run code on other threads. Loaded in domains.
public final class Threads {
  private Threads() {}

  /// A thread of a custom class, which cannot be virtual.
  public static final class OfPlatform implements Runnable {
    private static final class Own extends Thread {
      @Override
      public void run() {
        while (true) {
          LockSupport.park();
        }
      }
    }

    @Override
    public void run() {
      new Own().start();
    }
  }

  /// Reports if a task without an executor runs on a virtual thread.
  public static final class OfTasks implements Callable<Future<Boolean>> {
    @Override
    public Future<Boolean> call() {
      return CompletableFuture.supplyAsync(() -> Thread.currentThread().isVirtual());
    }
  }
}
