package sluice.bench.packets;

import java.util.Arrays;

/// The times of the last million round trips. Used by one thread.
final class RoundTrips {
  private final long[] nanos = new long[1 << 20];
  private int count;

  void add(long value) {
    nanos[count++ & nanos.length - 1] = value;
  }

  /// Removes all times.
  void clear() {
    count = 0;
  }

  /// Returns the microseconds that `percent` of a hundred times do not exceed. Each call uses the
  /// same times, so that two calls give two percentiles of one window.
  double percentile(int percent) {
    int kept = Math.min(count, nanos.length);
    Arrays.sort(nanos, 0, kept);
    return kept == 0 ? Double.NaN : nanos[kept * percent / 100] / 1e3;
  }
}
