package sluice.vi;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/// Sees to it that one thread at a time uses a work queue. It is no lock: a thread that finds
/// another one inside has made an error and is told so.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `busy` | the entering thread | compare-and-set, acquire | release |
final class Guard {
  private static final VarHandle BUSY;
  private static final long NAP_NANOS = 50_000;

  static {
    try {
      BUSY = MethodHandles.lookup().findVarHandle(Guard.class, "busy", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final String what;

  @SuppressWarnings("unused") // through BUSY
  private int busy;

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
    return (int) BUSY.compareAndExchangeAcquire(this, 0, 1) == 0;
  }

  /// Waits for a thread that will leave soon. For closing only.
  void enterUninterruptibly() {
    while (!tryEnter()) {
      LockSupport.parkNanos(NAP_NANOS);
      boolean _ = Thread.interrupted(); // parking would return at once
    }
  }

  void exit() {
    BUSY.setRelease(this, 0);
  }
}
