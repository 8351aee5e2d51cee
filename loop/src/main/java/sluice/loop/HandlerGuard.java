package sluice.loop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;
import sluice.loop.counters.HandlerTimes;
import sluice.loop.verdict.Judged;
import sluice.loop.verdict.Judges;
import sluice.loop.verdict.Verdict;

/// Watches one trusted handler: run to completion on the loop's thread, timed, and disabled after
/// it returns from a run that was too long.
///
/// `enter` and `exit` are called by loop threads around each run and cost two plain-ish stores and
/// a look at the clock each; the [sluice.loop.server.Watchdog] thread does the timing.
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

  /// @param limitNanos longest run that is tolerated, at least 1 ms
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

  /// How long its runs took.
  public HandlerTimes times() {
    return times;
  }

  /// Whether the handler overran and is not called any more.
  public boolean disabled() {
    return (boolean) DISABLED.getOpaque(this);
  }

  /// Lets a handler that was disabled run again.
  public void enable() {
    OVERRAN.setOpaque(this, false);
    DISABLED.setOpaque(this, false);
  }

  /// Makes a loop's instance, and notes how long that took: its first message waits for it.
  public <T> T make(Supplier<? extends T> perLoop) {
    long begun = System.nanoTime();
    T made = perLoop.get();
    times.made(System.nanoTime() - begun);
    judged = Judges.of(made);
    return made;
  }

  /// What is known of its work; trusted until it was made and judged.
  public Verdict verdict() {
    return judged.verdict();
  }

  /// Notes that the handler starts to run on a loop's thread.
  ///
  /// @param running of that loop, [Loop#handler]
  public void enter(RunningHandler running) {
    running.enter(this);
  }

  /// Notes that the handler has returned.
  public void exit(RunningHandler running) {
    times.ran(running.leave());
    if ((boolean) OVERRAN.getOpaque(this)) {
      DISABLED.setOpaque(this, true);
    }
  }

  /// The handler has run for longer than its limit: it is not called any more. Any thread.
  public void overran() {
    OVERRAN.setOpaque(this, true);
  }
}
