package sluice.domain;

import java.util.concurrent.TimeUnit;

/// Decides when the gates of a domain check the throttle. They do so from the moment this is needed
/// (the domain is over its budget, or other threads wait for its processors) until it has not been
/// needed for some time, because checking gates can reduce the speed of loops by up to half. Each
/// change discards compiled code, so the time doubles with every switch back, from 10 s to some 21
/// min. Only the warden's thread may call, except for `isWatching`.
final class GateWatch {
  private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long LONGEST_CALM_NANOS = CALM_NANOS << 7;

  private final Runnable watch;
  private final Runnable leave;
  private volatile boolean watching;
  private long lastNeededNanos;
  private long calmNanos = CALM_NANOS;

  /// @param watch makes the gates check the throttle
  /// @param leave makes the gates do nothing
  GateWatch(Runnable watch, Runnable leave) {
    this.watch = watch;
    this.leave = leave;
  }

  boolean isWatching() {
    return watching;
  }

  /// Processes a sample.
  ///
  /// @param isNeeded true if the gates currently need to check
  /// @param nanos the time of the sample, from `System.nanoTime`
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
