package sluice.vi.ofi;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import sluice.vi.device.BiasedFlag;

/// A lock for critical sections that take a few hundred nanoseconds. A thread that needs the lock
/// spins for about a microsecond and then sleeps for short times, so that a holder that was
/// descheduled can continue. Any thread may call. The lock is not reentrant. A
/// [java.util.concurrent.locks.ReentrantLock] would take half as long as a whole message.
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
