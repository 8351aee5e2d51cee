package sluice.domain;

import java.util.concurrent.TimeUnit;

/// Has the gates of a domain look at the throttle when there is need (the domain is over its
/// budget, or others wait for its processors), and until there has been none for some time: gates
/// that look cost loops up to half of their speed. Each change throws compiled code away, so that
/// time doubles with every return, from 10 s to some 21 min. The warden's thread calls, but for
/// `isWatching`.
final class GateWatch {
  private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long LONGEST_CALM_NANOS = CALM_NANOS << 7;

  private final Runnable watch;
  private final Runnable leave;
  private volatile boolean watching;
  private long lastNeededNanos;
  private long calmNanos = CALM_NANOS;

  /// @param watch has gates look
  /// @param leave has gates do nothing
  GateWatch(Runnable watch, Runnable leave) {
    this.watch = watch;
    this.leave = leave;
  }

  boolean isWatching() {
    return watching;
  }

  /// @param isNeeded whether there is need
  /// @param nanos time of the sample, as of `System.nanoTime`
  void sampled(boolean isNeeded, long nanos) {
    if (isNeeded) {
      lastNeededNanos = nanos;
      if (!watching) {
        watching = true;
        watch.run();
      }
    } else if (watching && nanos - lastNeededNanos >= calmNanos) {
      watching = false;
      calmNanos = Math.min(2 * calmNanos, LONGEST_CALM_NANOS);
      leave.run();
    }
  }
}
