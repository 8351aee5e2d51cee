package sluice.vi;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import sluice.vi.device.BiasedFlag;

/// A check that only one thread at a time uses a work queue. It is not a lock: entering while
/// another thread is inside is an error, which throws.
///
/// A thread at the other queue may pass through ([#tryPass]), to continue with descriptors posted
/// here. That is not an error of the queue's own thread, which waits until the passing one has
/// left.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `busy` | see [BiasedFlag] | | |
/// | `begun`, `ended` | passing threads | volatile | getAndAdd |
final class Guard {
  private static final long NAP_NANOS = 50_000;

  /// The number of doublings of a nap. The longest nap is 1.6 ms.
  private static final int MOST_DOUBLED = 5;

  private static final int SPINS = 100;

  private final BiasedFlag busy = new BiasedFlag();
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();
  private final String what;

  Guard(String what) {
    this.what = what;
  }

  /// Enters the queue.
  ///
  /// @throws IllegalStateException if another thread is inside
  void enter() {
    if (!tryEnter()) {
      enterAfterPasses();
    }
  }

  private void enterAfterPasses() {
    boolean interrupted = false;
    int pauses = 0;
    int before = ended.get();
    while (!tryEnter()) {
      if (begun.get() == before) {
        keep(interrupted);
        throw new IllegalStateException(
            "another thread uses the "
                + what
                + " of this VI at this moment. Fix: one thread at a time for each queue");
      }
      interrupted |= pause(pauses++);
      before = ended.get();
    }
    keep(interrupted);
  }

  /// Pauses. A pass takes less than a microsecond, unless its thread has lost its processor: then a
  /// virtual thread that spins would keep a carrier from it.
  ///
  /// @return true if the thread was interrupted. The interrupt status is cleared, because parking
  ///   would return at once
  private static boolean pause(int pauses) {
    if (pauses < SPINS) {
      Thread.onSpinWait();
      return false;
    }
    LockSupport.parkNanos(NAP_NANOS << Math.min(pauses - SPINS, MOST_DOUBLED));
    return Thread.interrupted();
  }

  private static void keep(boolean interrupted) {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  boolean tryEnter() {
    return busy.tryTake();
  }

  /// Enters for a moment, for the thread at the other queue. [#exitPass] ends the pass.
  boolean tryPass() {
    int _ = begun.getAndIncrement();
    if (tryEnter()) {
      return true;
    }
    int _ = ended.getAndIncrement();
    return false;
  }

  void exitPass() {
    exit();
    int _ = ended.getAndIncrement();
  }

  /// Waits, parking, for a thread that will leave soon. For closing only. An interrupt is
  /// preserved.
  void enterUninterruptibly() {
    boolean interrupted = false;
    for (int pauses = SPINS; !tryEnter(); pauses++) {
      interrupted |= pause(pauses);
    }
    keep(interrupted);
  }

  void exit() {
    busy.free();
  }
}
