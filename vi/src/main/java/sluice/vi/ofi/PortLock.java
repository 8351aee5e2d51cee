package sluice.vi.ofi;

import sluice.vi.device.BiasedFlag;

/// A lock for work of some hundred nanoseconds: a thread that must have it spins, then yields. Any
/// thread may call; it is not reentrant. A [java.util.concurrent.locks.ReentrantLock] costs as much
/// as half a message here.
final class PortLock {
  private static final int SPINS = 100;

  private final BiasedFlag held = new BiasedFlag();

  boolean tryLock() {
    return held.tryTake();
  }

  @SuppressWarnings("ThreadPriorityCheck") // yields to the holder, which may share the processor
  void lock() {
    for (int tries = 0; !tryLock(); tries++) {
      if (tries < SPINS) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
  }

  void unlock() {
    held.free();
  }
}
