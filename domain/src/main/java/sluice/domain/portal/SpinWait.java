package sluice.domain.portal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;

/// Determines how long platform threads that call a service spin before they park. Any thread may
/// call.
///
/// Parking and being woken costs a caller two context switches, and on a busy processor the kernel
/// may not resume it for some milliseconds. Spinning avoids this if the service answers within
/// [#MOST_NANOS]. After [#MOST_MISSES] consecutive slower answers, callers spin only once in
/// [#RETRY] calls.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | misses | any caller; an update may be lost | opaque | opaque |
final class SpinWait {
  private static final long MOST_NANOS = 20_000;
  private static final int MOST_MISSES = 3;
  private static final int RETRY = 64;
  private static final boolean IS_USEFUL = Runtime.getRuntime().availableProcessors() > 1;
  private static final VarHandle MISSES;

  static {
    try {
      MISSES = MethodHandles.lookup().findVarHandle(SpinWait.class, "misses", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unused") // through its handle
  private int misses;

  /// Spins until a condition is true, but no longer than has recently been worthwhile.
  ///
  /// @param isDone the condition, evaluated repeatedly
  void await(BooleanSupplier isDone) {
    int before = (int) MISSES.getOpaque(this);
    if (!IS_USEFUL || (before >= MOST_MISSES && before % RETRY != 0)) {
      MISSES.setOpaque(this, before + 1);
      return;
    }
    long start = System.nanoTime();
    boolean done = isDone.getAsBoolean();
    while (!done && System.nanoTime() - start < MOST_NANOS) {
      Thread.onSpinWait();
      done = isDone.getAsBoolean();
    }
    MISSES.setOpaque(this, done ? 0 : Math.max(1, before + 1));
  }
}
