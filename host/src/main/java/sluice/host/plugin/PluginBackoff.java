package sluice.host.plugin;

import java.time.Duration;

/// How long a plug-in is left ended before it is loaded again: a moment, and twice as long each
/// time, until it has lived for a while. Under the monitor of its owner.
final class PluginBackoff {
  static final Duration FIRST = Duration.ofMillis(100);
  static final Duration MOST = Duration.ofSeconds(30);

  /// A domain that has lived for so long was healthy.
  static final Duration HEALTHY = Duration.ofMinutes(1);

  private Duration next = FIRST;

  /// @param lived how long the domain had lived that has ended
  Duration after(Duration lived) {
    if (lived.compareTo(HEALTHY) >= 0) {
      reset();
    }
    Duration now = next;
    Duration twice = now.multipliedBy(2);
    next = twice.compareTo(MOST) > 0 ? MOST : twice;
    return now;
  }

  /// Begins anew: an operator has loaded it.
  void reset() {
    next = FIRST;
  }
}
