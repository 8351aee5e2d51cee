package sluice.vi.ofi;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import sluice.vi.device.BiasedFlag;

/// A lock for work of some hundred nanoseconds: a thread that must have it spins for about a
/// microsecond, then naps, so that a holder that has lost its processor gets it. Any thread may
/// call; it is not reentrant. A [java.util.concurrent.locks.ReentrantLock] costs as much as half a
/// message here.
final class PortLock {
  private static final int SPINS = 100;
  private static final long NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

  private final BiasedFlag held = new BiasedFlag();

  boolean tryLock() {
    return held.tryTake();
  }

  void lock() {
    if (!tryLock()) {
      lockPatiently();
    }
  }

  private void lockPatiently() {
    boolean interrupted = false;
    for (int tries = 1; !tryLock(); tries++) {
      if (tries < SPINS) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(NAP_NANOS);
        interrupted |= Thread.interrupted(); // parking would return at once
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  void unlock() {
    held.free();
  }
}
