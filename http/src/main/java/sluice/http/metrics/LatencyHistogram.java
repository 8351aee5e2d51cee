package sluice.http.metrics;

/// How long requests of one loop took until their replies were staged. Plain fields, written by the
/// loop's thread; other threads read hints, as of all counters. Nothing is allocated, and requests
/// that came together are counted at once.
public final class LatencyHistogram {
  /// Ends of the intervals, each part of the next.
  private static final long[] BOUNDS_MICROS = {
    20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000,
    5_000_000
  };

  private final long[] counts = new long[BOUNDS_MICROS.length + 1];
  private long sumNanos;

  /// Counts requests.
  ///
  /// @param nanos that each of them took
  public void took(long nanos, long requests) {
    long micros = Math.max(0, nanos) / 1000;
    int interval = 0;
    while (interval < BOUNDS_MICROS.length && micros >= BOUNDS_MICROS[interval]) {
      interval++;
    }
    counts[interval] += requests;
    sumNanos += Math.max(0, nanos) * requests;
  }

  /// Intervals that have an end.
  public static int bounds() {
    return BOUNDS_MICROS.length;
  }

  /// Where an interval ends, in microseconds.
  public static long boundMicros(int index) {
    return BOUNDS_MICROS[index];
  }

  /// Requests that took less than the end of an interval; all of them for [#bounds].
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
