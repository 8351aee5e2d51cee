package sluice.acceptance.stress;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// Lets two threads begin together, so that each state is a race and not only the first of many.
/// Each of the two calls [#pass] once.
final class Gate {
  /// A thread that runs arrives before this; a thread that waits may need our processor.
  private static final int SPINS = 2000;

  /// The thread that arrives first goes on some nanoseconds later than the other.
  private static final int MOST_DELAY = 200;

  private final AtomicInteger missing = new AtomicInteger(2);

  /// Waits for the other thread, and then a random time of less than a microsecond.
  void pass() {
    missing.decrementAndGet();
    await(() -> missing.get() == 0);
    int delay = ThreadLocalRandom.current().nextInt(MOST_DELAY);
    while (delay > 0) {
      delay -= 1 + missing.get();
    }
  }

  /// Waits for the other thread.
  static void await(BooleanSupplier condition) {
    for (int spins = 0; !condition.getAsBoolean(); spins++) {
      if (spins < SPINS) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(1);
      }
    }
  }
}
