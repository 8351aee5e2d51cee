package sluice.testkit.sim;

/// The last events of a simulation and a digest of all of them. Owned by the thread that runs the
/// simulation.
///
/// An event is a constant text with three numbers, so recording needs no formatting.
final class SimTrace {
  /// The number of events kept; more if a single seed is run.
  private static final int KEPT = Long.getLong("sluice.seed") == null ? 256 : 20_000;

  private static final int NUMBERS = 4;

  private final String[] texts = new String[KEPT];
  private final long[] numbers = new long[KEPT * NUMBERS];
  private long count;
  private long digest;

  void add(long nanos, String text, long a, long b, long c) {
    int slot = (int) (count++ % KEPT);
    texts[slot] = text;
    int at = slot * NUMBERS;
    numbers[at] = nanos;
    numbers[at + 1] = a;
    numbers[at + 2] = b;
    numbers[at + 3] = c;
    digest = (digest ^ nanos ^ text.hashCode()) * 0x9e3779b97f4a7c15L;
    digest = (Long.rotateLeft(digest, 23) ^ a ^ (b << 20) ^ (c << 40)) * 0xbf58476d1ce4e5b9L;
  }

  /// Returns the digest. Two runs with the same digest have seen the same events.
  long digest() {
    return digest;
  }

  String format() {
    StringBuilder text = new StringBuilder();
    for (long i = Math.max(0, count - KEPT); i < count; i++) {
      int slot = (int) (i % KEPT);
      int at = slot * NUMBERS;
      text.append(
          String.format(
              "%n%,18d ns  %-22s %d %d %d",
              numbers[at], texts[slot], numbers[at + 1], numbers[at + 2], numbers[at + 3]));
    }
    return text.toString();
  }
}
