package sluice.domain.portal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;

/// Decides for how long the platform threads that call a service spin before they park. Any thread
/// may call.
///
/// A caller that parks costs two thread switches, and while other threads compute, the kernel may
/// not run it again for several milliseconds. A caller therefore spins for up to [#MOST_NANOS]
/// first. After [#MOST_MISSES] calls in a row that took longer, only one call in [#RETRY] spins.
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

  /// Spins until a condition holds, or for as long as that has been worth it lately.
  ///
  /// @param isDone asked again and again
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
