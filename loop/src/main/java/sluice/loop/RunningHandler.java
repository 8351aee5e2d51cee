package sluice.loop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// The guarded handler that a loop runs now, if any. Written by the loop's thread, read by the
/// [sluice.loop.server.Watchdog].
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | guard | loop | acquire | release; opaque when it leaves |
/// | enteredNanos | loop | plain, by the loop | plain |
/// | sequence | loop | opaque, after the guard; plain by the loop | opaque |
///
/// A thread that sees a guard sees the sequence of that run or of a later one, also where the
/// processor reorders stores: otherwise one handler's time would be charged to the next.
public final class RunningHandler {
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

  /// The start time of the run; used by the loop's thread alone.
  private long enteredNanos;

  void enter(HandlerGuard entered) {
    SEQUENCE.setOpaque(this, sequence + 1);
    GUARD.setRelease(this, entered);
    enteredNanos = System.nanoTime();
  }

  /// Ends the run.
  ///
  /// @return the time since the handler began, in nanoseconds
  long leave() {
    GUARD.setOpaque(this, null);
    return System.nanoTime() - enteredNanos;
  }

  /// Returns the handler that runs now, or null. Any thread may call.
  public @Nullable HandlerGuard guard() {
    return (HandlerGuard) GUARD.getAcquire(this);
  }

  /// Returns a number that distinguishes one run from the next. Any thread may call.
  public long sequence() {
    return (long) SEQUENCE.getOpaque(this);
  }
}
