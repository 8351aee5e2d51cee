package sluice.bench.domain;

import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/// One system of a case: something that is done again and again. Owned by the worker's main thread.
interface Work extends AutoCloseable {
  /// Does the work so many times.
  ///
  /// @return what came out of it, so that no compiler leaves it out
  /// @throws Exception when the system fails
  long run(int times) throws Exception;

  /// Where its time is not that of the caller's clock: the sum since the last call in nanoseconds;
  /// else negative.
  default long measuredNanos() {
    return -1;
  }

  /// Further metrics of what was done since the last call.
  ///
  /// @throws Exception when the system fails
  default Map<String, Double> extra() throws Exception {
    return Map.of();
  }

  /// Returns the median and the 99th percentile, as metrics.
  ///
  /// @param nanos sorted here
  static Map<String, Double> percentiles(long[] nanos) {
    Arrays.sort(nanos);
    Map<String, Double> found = new LinkedHashMap<>();
    if (nanos.length > 0) {
      found.put("p50_us", nanos[nanos.length / 2] / 1e3);
      found.put("p99_us", nanos[Math.min(nanos.length - 1, nanos.length * 99 / 100)] / 1e3);
    }
    return found;
  }

  @Override
  default void close() throws IOException {}
}
