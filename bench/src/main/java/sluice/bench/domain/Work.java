package sluice.bench.domain;

import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/// The repeated work of one system of a case. Owned by the worker's main thread.
interface Work extends AutoCloseable {
  /// Does the work `times` times.
  ///
  /// @return a result, so that no compiler removes the work
  /// @throws Exception if the system fails
  long run(int times) throws Exception;

  /// Returns the measured nanoseconds since the last call, if they differ from the time that the
  /// caller measures; otherwise a negative number.
  default long measuredNanos() {
    return -1;
  }

  /// Returns further metrics of the work since the last call.
  ///
  /// @throws Exception if the system fails
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
