package sluice.host.plugin;

import java.time.Duration;

/// The exponential back-off that delays the reload of a plug-in. It is reset when the plug-in has
/// been running for a while. Instances are guarded by the monitor of their owner.
final class PluginBackoff {
  static final Duration FIRST = Duration.ofMillis(100);
  static final Duration MOST = Duration.ofSeconds(30);

  /// The lifetime after which a domain is considered healthy.
  static final Duration HEALTHY = Duration.ofMinutes(1);

  private Duration next = FIRST;

  /// Returns the delay before the next load.
  ///
  /// @param lived the lifetime of the domain that has terminated
  Duration after(Duration lived) {
    if (lived.compareTo(HEALTHY) >= 0) {
      reset();
    }
    Duration now = next;
    Duration twice = now.multipliedBy(2);
    next = twice.compareTo(MOST) > 0 ? MOST : twice;
    return now;
  }

  /// Resets the back-off because the plug-in was loaded by an operator.
  void reset() {
    next = FIRST;
  }
}
