package sluice.cli;

import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/// Measures the messages of the asking peer of `sluice vi` after a warm-up that is not measured.
/// Instances are confined to the main thread.
///
/// @param size the length of a message in bytes
/// @param count the number of measured messages
/// @param warmUp the number of messages during the warm-up
record ViTiming(int size, int count, int warmUp) {
  /// A round trip, in which one message is sent and its reply is received.
  interface RoundTrip {
    /// Executes one round trip.
    ///
    /// @param number the number of the round trip, which is negative during the warm-up
    void run(int number) throws IOException;
  }

  /// Sends messages and waits for a single reply to all of them.
  interface Stream {
    void run(int messages) throws IOException;
  }

  /// Returns the number of messages, including the warm-up.
  int total() {
    return warmUp + count;
  }

  Map<String, Object> roundTrips(RoundTrip trip) throws IOException {
    long[] nanos = new long[count];
    for (int i = -warmUp; i < count; i++) {
      long begin = System.nanoTime();
      trip.run(i);
      if (i >= 0) {
        nanos[i] = System.nanoTime() - begin;
      }
    }
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

  Map<String, Object> stream(Stream stream) throws IOException {
    stream.run(warmUp);
    long begin = System.nanoTime();
    stream.run(count);
    double seconds = (System.nanoTime() - begin) / 1e9;
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("mb_per_s", Math.round(size * (double) count / seconds / 1e5) / 10.0);
    figures.put("messages_per_s", Math.round(count / seconds));
    return figures;
  }

  /// Checks the length of a received message.
  void expect(int length) throws IOException {
    expect(length, size);
  }

  static void expect(int length, int expected) throws IOException {
    if (length != expected) {
      throw new IOException(
          "a message of " + length + " bytes came. Fix: the same --size on both ends");
    }
  }
}
