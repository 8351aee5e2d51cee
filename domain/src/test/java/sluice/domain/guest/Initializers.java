package sluice.domain.guest;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Methods that the JVM itself calls, each with a hot loop that waits.
@SuppressWarnings("UnusedVariable") // written, so that the compiler leaves the loops in
public final class Initializers {
  private static final long NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final int TURNS_BETWEEN_WAITS = 1_024;

  private Initializers() {}

  /// Returns true if a call of this thread returned on another carrier than it was made on.
  private static boolean moved(String before) {
    return !Thread.currentThread().toString().equals(before);
  }

  /// A class initializer that waits repeatedly.
  public static final class Waiting implements Runnable {
    private static final class Endless {
      private static volatile long turns;
      private static int moves;

      static {
        String before = Thread.currentThread().toString();
        long end = System.nanoTime() + NANOS;
        for (long i = 0; System.nanoTime() < end; i++) {
          turns = i;
          if (i % TURNS_BETWEEN_WAITS == 0) {
            LockSupport.parkNanos(1);
            if (moved(before)) {
              moves++;
            }
          }
        }
      }

      private Endless() {}
    }

    @Override
    public void run() {
      System.out.println("moves: " + Endless.moves);
    }
  }

  /// Alternately uses a carrier and waits, until it is interrupted.
  public static final class Neighbour implements Runnable {
    private volatile int turns;

    @Override
    public void run() {
      while (!Thread.currentThread().isInterrupted()) {
        for (int i = 0; i < 20_000; i++) {
          turns = i;
        }
        LockSupport.parkNanos(20_000);
      }
    }
  }
}
