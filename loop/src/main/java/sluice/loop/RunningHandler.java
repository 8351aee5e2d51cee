package sluice.loop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// The guarded handler that is currently running on a loop, if any. It is written by the loop's
/// thread and read by the [sluice.loop.server.Watchdog].
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | guard | loop | acquire | release; opaque when it leaves |
/// | enteredNanos | loop | plain, by the loop | plain |
/// | sequence | loop | opaque, after the guard; plain by the loop | opaque |
///
/// A thread that reads a guard also reads the sequence of that run or of a later one, even if the
/// processor reorders stores. Otherwise the time of one handler could be charged to the next.
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

  /// The start time of the run. Used only by the loop's thread.
  private long enteredNanos;

  void enter(HandlerGuard entered) {
    SEQUENCE.setOpaque(this, sequence + 1);
    GUARD.setRelease(this, entered);
    enteredNanos = System.nanoTime();
  }

  /// Records the end of the run.
  ///
  /// @return the time since the handler began, in nanoseconds
  long leave() {
    GUARD.setOpaque(this, null);
    return System.nanoTime() - enteredNanos;
  }

  /// Returns the handler that is currently running, or null if there is none. Any thread may call.
  public @Nullable HandlerGuard guard() {
    return (HandlerGuard) GUARD.getAcquire(this);
  }

  /// Returns a number that distinguishes consecutive runs. Any thread may call.
  public long sequence() {
    return (long) SEQUENCE.getOpaque(this);
  }
}
