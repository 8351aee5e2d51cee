package sluice.domain;

import java.util.concurrent.TimeUnit;

/// Has the gates of a domain look at the throttle when the domain is over its budget, and until it
/// has been within it for some time: gates that look cost loops up to half of their speed. Each
/// change throws compiled code away, so that time doubles with every return, from 10 s to some 21
/// min. The warden's thread calls.
final class GateWatch {
  private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long LONGEST_CALM_NANOS = CALM_NANOS << 7;

  private final Runnable watch;
  private final Runnable leave;
  private boolean watching;
  private long lastOverNanos;
  private long calmNanos = CALM_NANOS;

  /// @param watch has gates look
  /// @param leave has gates do nothing
  GateWatch(Runnable watch, Runnable leave) {
    this.watch = watch;
    this.leave = leave;
  }

  /// @param isOver what the sample says of the budget
  /// @param nanos time of the sample, as of `System.nanoTime`
  void sampled(boolean isOver, long nanos) {
    if (isOver) {
      lastOverNanos = nanos;
      if (!watching) {
        watching = true;
        watch.run();
      }
    } else if (watching && nanos - lastOverNanos >= calmNanos) {
      watching = false;
      calmNanos = Math.min(2 * calmNanos, LONGEST_CALM_NANOS);
      leave.run();
    }
  }
}
