package sluice.loop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;
import sluice.loop.counters.HandlerTimes;
import sluice.loop.verdict.Judged;
import sluice.loop.verdict.Judges;
import sluice.loop.verdict.Verdict;

/// A guard of one trusted handler, which runs to completion on the loop's thread. The guard
/// measures the handler's runs and disables the handler after a run that took too long.
///
/// Loop threads call `enter` and `exit` around each run. Each call costs about two plain stores and
/// a read of the clock. The timing is done by the [sluice.loop.server.Watchdog] thread.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | overran | watchdog | opaque | opaque |
/// | disabled | loop threads, operators | opaque | opaque |
/// | judged | loop threads | volatile | volatile |
public final class HandlerGuard {
  private static final VarHandle OVERRAN;
  private static final VarHandle DISABLED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      OVERRAN = lookup.findVarHandle(HandlerGuard.class, "overran", boolean.class);
      DISABLED = lookup.findVarHandle(HandlerGuard.class, "disabled", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final String name;
  private final long limitNanos;
  private final HandlerTimes times = new HandlerTimes();
  private volatile Judged judged = () -> Verdict.TRUSTED;

  @SuppressWarnings("unused") // through OVERRAN
  private boolean overran;

  @SuppressWarnings("unused") // through DISABLED
  private boolean disabled;

  /// @param limitNanos the maximum duration of a run, at least 1 ms
  public HandlerGuard(String name, long limitNanos) {
    if (limitNanos < 1_000_000) {
      throw new IllegalArgumentException("limitNanos must be at least 1000000: " + limitNanos);
    }
    this.name = name;
    this.limitNanos = limitNanos;
  }

  public String name() {
    return name;
  }

  public long limitNanos() {
    return limitNanos;
  }

  /// Returns the distribution of the handler's run times.
  public HandlerTimes times() {
    return times;
  }

  /// Returns true if the handler exceeded its limit and is no longer called.
  public boolean disabled() {
    return (boolean) DISABLED.getOpaque(this);
  }

  /// Enables a disabled handler again.
  public void enable() {
    OVERRAN.setOpaque(this, false);
    DISABLED.setOpaque(this, false);
  }

  /// Creates a loop's instance of the handler and records the time this takes, because the first
  /// message has to wait for it.
  public <T> T make(Supplier<? extends T> perLoop) {
    long begun = System.nanoTime();
    T made = perLoop.get();
    times.made(System.nanoTime() - begun);
    judged = Judges.of(made);
    return made;
  }

  /// Returns the verifier's verdict on the handler, which is trusted until an instance has been
  /// created and judged.
  public Verdict verdict() {
    return judged.verdict();
  }

  /// Records the start of a run of the handler on a loop's thread.
  ///
  /// @param running the loop's [Loop#handler]
  public void enter(RunningHandler running) {
    running.enter(this);
  }

  /// Records the return of the handler, and disables the handler if it exceeded its limit.
  public void exit(RunningHandler running) {
    times.ran(running.leave());
    if ((boolean) OVERRAN.getOpaque(this)) {
      DISABLED.setOpaque(this, true);
    }
  }

  /// Records that the handler exceeded its limit, so that it is no longer called. Any thread may
  /// call.
  public void overran() {
    OVERRAN.setOpaque(this, true);
  }
}
