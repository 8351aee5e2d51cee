package sluice.vi;

import java.util.concurrent.locks.LockSupport;
import sluice.vi.device.BiasedFlag;

/// Sees to it that one thread at a time uses a work queue. It is no lock: a thread that finds
/// another one inside has made an error and is told so.
final class Guard {
  private static final long NAP_NANOS = 50_000;

  private final BiasedFlag busy = new BiasedFlag();
  private final String what;

  Guard(String what) {
    this.what = what;
  }

  /// @throws IllegalStateException when another thread is inside
  void enter() {
    if (!tryEnter()) {
      throw new IllegalStateException(
          "another thread uses the "
              + what
              + " of this VI at this moment. Fix: one thread at a time for each queue");
    }
  }

  boolean tryEnter() {
    return busy.tryTake();
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
