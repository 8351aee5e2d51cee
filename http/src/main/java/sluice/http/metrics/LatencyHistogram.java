package sluice.http.metrics;

/// A histogram of the time from receiving requests of one loop until their replies were staged. The
/// fields are plain and are written by the loop's thread, so other threads may read outdated
/// values, as with all counters. Nothing is allocated, and requests that arrived together are
/// counted at once.
public final class LatencyHistogram {
  /// The upper bounds of the intervals. Each bound is included in the next interval.
  private static final long[] BOUNDS_MICROS = {
    20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000,
    5_000_000
  };

  private final long[] counts = new long[BOUNDS_MICROS.length + 1];
  private long sumNanos;

  /// Counts requests.
  ///
  /// @param nanos the time that each of the requests took
  public void took(long nanos, long requests) {
    long micros = Math.max(0, nanos) / 1000;
    int interval = 0;
    while (interval < BOUNDS_MICROS.length && micros >= BOUNDS_MICROS[interval]) {
      interval++;
    }
    counts[interval] += requests;
    sumNanos += Math.max(0, nanos) * requests;
  }

  /// Returns the number of intervals with an upper bound.
  public static int bounds() {
    return BOUNDS_MICROS.length;
  }

  /// Returns the upper bound of the given interval in microseconds.
  public static long boundMicros(int index) {
    return BOUNDS_MICROS[index];
  }

  /// Returns the number of requests that took less than the upper bound of the given interval, or
  /// the number of all requests if the index is [#bounds].
  public long countBelow(int index) {
    long sum = 0;
    for (int i = 0; i <= index; i++) {
      sum += counts[i];
    }
    return sum;
  }

  public long sumMicros() {
    return sumNanos / 1000;
  }
}
