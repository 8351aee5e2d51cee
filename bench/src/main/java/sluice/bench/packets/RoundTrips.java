package sluice.bench.packets;

import java.util.Arrays;

/// Times of round trips, the last million of them. Used by one thread.
final class RoundTrips {
  private final long[] nanos = new long[1 << 20];
  private int count;

  void add(long value) {
    nanos[count++ & nanos.length - 1] = value;
  }

  /// Microseconds that so many of a hundred do not exceed.
  double percentile(int percent) {
    long[] sorted = Arrays.copyOf(nanos, Math.min(count, nanos.length));
    Arrays.sort(sorted);
    return sorted.length == 0 ? Double.NaN : sorted[sorted.length * percent / 100] / 1e3;
  }
}
