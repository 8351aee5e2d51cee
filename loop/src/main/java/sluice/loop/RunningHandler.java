package sluice.loop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// Which guarded handler a loop runs now, if any. Written by the loop's thread, looked at by the
/// [Watchdog].
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | guard, sequence | loop | opaque; plain by the loop | opaque |
final class RunningHandler {
  private static final VarHandle GUARD;
  private static final VarHandle SEQUENCE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      GUARD = lookup.findVarHandle(RunningHandler.class, "guard", HandlerGuard.class);
      SEQUENCE = lookup.findVarHandle(RunningHandler.class, "sequence", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unused") // through GUARD
  private @Nullable HandlerGuard guard;

  private long sequence;

  void enter(HandlerGuard entered) {
    SEQUENCE.setOpaque(this, sequence + 1);
    GUARD.setOpaque(this, entered);
  }

  void leave() {
    GUARD.setOpaque(this, null);
  }

  @Nullable HandlerGuard guard() {
    return (HandlerGuard) GUARD.getOpaque(this);
  }

  /// Tells one run from the next.
  long sequence() {
    return (long) SEQUENCE.getOpaque(this);
  }
}
