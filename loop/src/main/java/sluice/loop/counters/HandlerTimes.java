package sluice.loop.counters;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/// The distribution of the run times of one handler. It is a histogram with a resolution of
/// [#STEP_NANOS] up to a millisecond, of ten times that up to 10 ms, and of a millisecond up to 100
/// ms. It is updated by loops. Any thread may read it, and gets an approximate result while loops
/// update it. Recording a run allocates nothing.
///
/// ```
/// bucket  0 … 99       100 … 189       190 … 279       280
///         10 µs each   100 µs each     1 ms each       longer
/// ```
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `counts` | loops | opaque | getAndAdd |
/// | `failures` | loops | volatile | getAndAdd |
/// | `madeNanos` | the loop that made it last | volatile | volatile |
/// | `firstNanos` | the loop that ran it first | volatile | compareAndSet |
/// | `maxNanos` | loops | volatile | volatile; of two that race one may be lost |
public final class HandlerTimes {
  /// The resolution for run times up to a millisecond.
  public static final long STEP_NANOS = 10_000;

  /// The longest advisable run. A handler that often takes longer should pass the corresponding
  /// messages to the slow path, because the other connections of its loop have to wait. The value
  /// was determined with `sluice bench handler`: if a tenth of all runs take this long, the p99 of
  /// the other requests is at most 1.25 times its value with those runs passed to the slow path.
  public static final long ADVISED_NANOS = 100_000;

  private static final int FINE = 100;
  private static final int MIDDLE = 90;
  private static final int COARSE = 90;
  static final int BUCKETS = FINE + MIDDLE + COARSE + 1;

  private static final VarHandle COUNTS = MethodHandles.arrayElementVarHandle(long[].class);
  private static final VarHandle FIRST;
  private static final VarHandle FAILURES;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      FIRST = lookup.findVarHandle(HandlerTimes.class, "firstNanos", long.class);
      FAILURES = lookup.findVarHandle(HandlerTimes.class, "failures", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long[] counts = new long[BUCKETS];
  private volatile long firstNanos = -1;
  private volatile long madeNanos;
  private volatile long maxNanos;

  @SuppressWarnings("UnusedVariable") // changed through FAILURES
  private volatile long failures;

  /// Records the time to create a loop's instance, for which its first message had to wait.
  public void made(long nanos) {
    madeNanos = Math.max(0, nanos);
  }

  /// Records a run.
  public void ran(long nanos) {
    COUNTS.getAndAdd(counts, bucket(nanos), 1L);
    if (nanos > maxNanos) {
      maxNanos = nanos;
    }
    if (firstNanos < 0) {
      FIRST.compareAndSet(this, -1L, madeNanos + Math.max(0, nanos));
    }
  }

  /// Records a run that ended with an exception. The run is also recorded by [#ran].
  public void failed() {
    FAILURES.getAndAdd(this, 1L);
  }

  /// Returns the number of runs that ended with an exception.
  public long failures() {
    return failures;
  }

  static int bucket(long nanos) {
    long steps = Math.max(0, nanos) / STEP_NANOS;
    if (steps < FINE) {
      return (int) steps;
    }
    if (steps < 10 * FINE) {
      return FINE + (int) (steps - FINE) / 10;
    }
    if (steps < 100 * FINE) {
      return FINE + MIDDLE + (int) (steps - 10 * FINE) / 100;
    }
    return BUCKETS - 1;
  }

  /// Returns the upper bound of a bucket, or [Long#MAX_VALUE] for the last bucket.
  static long endNanos(int bucket) {
    if (bucket < FINE) {
      return (bucket + 1) * STEP_NANOS;
    }
    if (bucket < FINE + MIDDLE) {
      return (FINE + (bucket - FINE + 1) * 10L) * STEP_NANOS;
    }
    if (bucket < BUCKETS - 1) {
      return (10L * FINE + (bucket - FINE - MIDDLE + 1) * 100L) * STEP_NANOS;
    }
    return Long.MAX_VALUE;
  }

  /// Returns the number of runs recorded so far.
  public long count() {
    return countUpTo(Long.MAX_VALUE);
  }

  /// Returns the number of runs in the buckets whose upper bound is at most `nanos`.
  public long countUpTo(long nanos) {
    long sum = 0;
    for (int i = 0; i < BUCKETS && endNanos(i) <= nanos; i++) {
      sum += (long) COUNTS.getOpaque(counts, i);
    }
    return sum;
  }

  /// Returns the number of runs that took longer than [#ADVISED_NANOS].
  public long countBeyondAdvice() {
    long all = count();
    return Math.max(0, all - countUpTo(ADVISED_NANOS));
  }

  /// Returns a quantile of the run times. The result is the upper bound of its bucket, or the
  /// longest run if that is shorter.
  ///
  /// @param share the quantile, greater than 0 and at most 1
  /// @return the quantile in nanoseconds, or 0 if there was no run
  public long quantileNanos(double share) {
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException("share must be above 0 and at most 1: " + share);
    }
    long wanted = (long) Math.ceil(share * count());
    if (wanted == 0) {
      return 0;
    }
    long sum = 0;
    for (int i = 0; i < BUCKETS; i++) {
      sum += (long) COUNTS.getOpaque(counts, i);
      if (sum >= wanted) {
        return Math.min(endNanos(i), maxNanos);
      }
    }
    return maxNanos;
  }

  /// Returns the buckets that are not empty, for example `10:1234 20:17 1100:1`. Each bucket is
  /// shown with its upper bound in microseconds, or `more` for the last one, and its number of
  /// runs.
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < BUCKETS; i++) {
      long runs = (long) COUNTS.getOpaque(counts, i);
      if (runs > 0) {
        text.append(text.isEmpty() ? "" : " ")
            .append(i == BUCKETS - 1 ? "more" : endNanos(i) / 1000)
            .append(':')
            .append(runs);
      }
    }
    return text.toString();
  }

  public long maxNanos() {
    return maxNanos;
  }

  /// Returns the delay of the first message, or -1 if there was none. The delay consists of the
  /// creation of the handler and its first run, which is mostly uncompiled unless the handler was
  /// warmed up.
  public long firstNanos() {
    return firstNanos;
  }
}
