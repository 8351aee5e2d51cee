package sluice.vi;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import sluice.vi.device.BiasedFlag;

/// Checks that only one thread at a time uses a work queue. This is not a lock: if another thread
/// is inside, entering throws an exception.
///
/// A thread at the other queue may enter briefly ([#tryPass]) in order to make progress on
/// descriptors that are posted here. If this queue's own thread enters at that time, it waits until
/// the other thread has left.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `busy` | see [BiasedFlag] | | |
/// | `begun`, `ended` | passing threads | volatile | getAndAdd |
final class Guard {
  private static final long NAP_NANOS = 50_000;

  /// The maximum number of times that the parking time is doubled. The longest parking time is 1.6
  /// ms.
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

  /// Pauses. A pass takes less than a microsecond unless its thread has been descheduled. In that
  /// case a spinning virtual thread would prevent it from obtaining a carrier.
  ///
  /// @return true if the thread was interrupted. The interrupt status is cleared, because parking
  ///   would otherwise return immediately
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

  /// Enters briefly on behalf of the thread at the other queue, which must call [#exitPass]
  /// afterwards.
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

  /// Parks until the current thread has left, which must happen soon. Only used for closing. The
  /// interrupt status is preserved.
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
