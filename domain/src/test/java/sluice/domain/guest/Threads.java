package sluice.domain.guest;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/// Ways to have code run on another thread. Loaded in domains.
public final class Threads {
  private Threads() {}

  /// A thread of a class of its own cannot be a virtual one.
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

  /// Says whether a task that is given no executor runs on a virtual thread.
  public static final class OfTasks implements Callable<Future<Boolean>> {
    @Override
    public Future<Boolean> call() {
      return CompletableFuture.supplyAsync(() -> Thread.currentThread().isVirtual());
    }
  }
}
