package sluice.host.plugin;

import java.time.Duration;

/// The exponential back-off before a plug-in is loaded again. It is reset when the plug-in has run
/// for a while. Guarded by the monitor of its owner.
final class PluginBackoff {
  static final Duration FIRST = Duration.ofMillis(100);
  static final Duration MOST = Duration.ofSeconds(30);

  /// The lifetime after which a domain counts as healthy.
  static final Duration HEALTHY = Duration.ofMinutes(1);

  private Duration next = FIRST;

  /// Returns the delay before the next load.
  ///
  /// @param lived the lifetime of the domain that has ended
  Duration after(Duration lived) {
    if (lived.compareTo(HEALTHY) >= 0) {
      reset();
    }
    Duration now = next;
    Duration twice = now.multipliedBy(2);
    next = twice.compareTo(MOST) > 0 ? MOST : twice;
    return now;
  }

  /// Resets the back-off, because an operator has loaded the plug-in.
  void reset() {
    next = FIRST;
  }
}
