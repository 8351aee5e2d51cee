package sluice.bench.packets;

import java.util.Arrays;

/// Times of round trips, the last million of them. Used by one thread.
final class RoundTrips {
  private final long[] nanos = new long[1 << 20];
  private int count;

  void add(long value) {
    nanos[count++ & nanos.length - 1] = value;
  }

  /// Begins again.
  void clear() {
    count = 0;
  }

  /// Microseconds that so many of a hundred do not exceed; of each the same, so that two calls give
  /// two percentiles of one window.
  double percentile(int percent) {
    int kept = Math.min(count, nanos.length);
    Arrays.sort(nanos, 0, kept);
    return kept == 0 ? Double.NaN : nanos[kept * percent / 100] / 1e3;
  }
}
