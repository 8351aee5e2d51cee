package sluice.vi;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import sluice.vi.device.BiasedFlag;

/// Sees to it that one thread at a time uses a work queue. It is no lock: a thread that finds
/// another one inside has made an error and is told so.
///
/// A thread at the other queue may pass through ([#tryPass]), to go on with what is posted here.
/// That is no error of the queue's own thread, which waits until it has left.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `busy` | see [BiasedFlag] | | |
/// | `begun`, `ended` | passing threads | volatile | getAndAdd |
final class Guard {
  private static final long NAP_NANOS = 50_000;

  private final BiasedFlag busy = new BiasedFlag();
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();
  private final String what;

  Guard(String what) {
    this.what = what;
  }

  /// @throws IllegalStateException when another thread is inside
  void enter() {
    if (!tryEnter()) {
      enterAfterPasses();
    }
  }

  private void enterAfterPasses() {
    int before = ended.get();
    while (!tryEnter()) {
      if (begun.get() == before) {
        throw new IllegalStateException(
            "another thread uses the "
                + what
                + " of this VI at this moment. Fix: one thread at a time for each queue");
      }
      Thread.onSpinWait();
      before = ended.get();
    }
  }

  boolean tryEnter() {
    return busy.tryTake();
  }

  /// Enters for a moment, for the thread at the other queue. Ends by [#exitPass].
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

  /// Waits for a thread that will leave soon. For closing only.
  void enterUninterruptibly() {
    while (!tryEnter()) {
      LockSupport.parkNanos(NAP_NANOS);
      boolean _ = Thread.interrupted(); // parking would return at once
    }
  }

  void exit() {
    busy.free();
  }
}
