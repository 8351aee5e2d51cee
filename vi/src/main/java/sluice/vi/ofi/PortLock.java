package sluice.vi.ofi;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/// A lock for work of some hundred nanoseconds: a thread that must have it spins, then yields. Any
/// thread may call; it is not reentrant. A [java.util.concurrent.locks.ReentrantLock] costs as much
/// as half a message here.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `held` | the thread that gets it | compare-and-set, acquire | release |
final class PortLock {
  private static final int SPINS = 100;
  private static final VarHandle HELD;

  static {
    try {
      HELD = MethodHandles.lookup().findVarHandle(PortLock.class, "held", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unused") // through HELD
  private int held;

  boolean tryLock() {
    return (int) HELD.compareAndExchangeAcquire(this, 0, 1) == 0;
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
    HELD.setRelease(this, 0);
  }
}
