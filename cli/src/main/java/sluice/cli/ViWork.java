package sluice.cli;

import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/// What the two ends of `sluice vi` do. Of the main thread.
interface ViWork extends AutoCloseable {
  Map<String, Object> askRoundTrips() throws IOException;

  void answerRoundTrips() throws IOException;

  Map<String, Object> askStream() throws IOException;

  void answerStream() throws IOException;

  @Override
  void close();

  /// The figures of round trips, of which `nanos` is sorted.
  static Map<String, Object> roundTrips(long[] nanos) {
    Arrays.sort(nanos);
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("rtt_p50_us", micros(nanos, 0.5));
    figures.put("rtt_p90_us", micros(nanos, 0.9));
    figures.put("rtt_p99_us", micros(nanos, 0.99));
    return figures;
  }

  private static double micros(long[] sorted, double share) {
    return sorted[(int) Math.min(sorted.length - 1, Math.round(sorted.length * share))] / 1e3;
  }

  /// The figures of a stream.
  static Map<String, Object> rate(int size, int count, long nanos) {
    double seconds = nanos / 1e9;
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("mb_per_s", Math.round(size * (double) count / seconds / 1e5) / 10.0);
    figures.put("messages_per_s", Math.round(count / seconds));
    return figures;
  }

  static void expect(int length, int size) throws IOException {
    if (length != size) {
      throw new IOException(
          "a message of " + length + " bytes came. Fix: the same --size on both ends");
    }
  }
}
