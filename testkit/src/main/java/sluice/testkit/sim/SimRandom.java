package sluice.testkit.sim;

/// The only source of randomness in a simulation: splitmix64, so that a seed has the same meaning
/// on every JDK. Owned by the thread that runs the simulation.
public final class SimRandom {
  private long state;

  public SimRandom(long seed) {
    this.state = seed;
  }

  public long nextLong() {
    state += 0x9e3779b97f4a7c15L;
    long z = state;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  /// Returns a number from 0 to `bound - 1`; `bound` is at least 1.
  public int below(int bound) {
    return (int) (((nextLong() >>> 32) * bound) >>> 32);
  }

  /// Returns a number from `low` to `high`, both inclusive.
  public int between(int low, int high) {
    return low + below(high - low + 1);
  }

  /// Returns true with a probability of `perMille` in a thousand.
  public boolean chance(int perMille) {
    return perMille > 0 && below(1000) < perMille;
  }

  /// Returns a mostly small number, sometimes as large as `high`: all orders of magnitude are
  /// equally likely.
  public int skewed(int high) {
    return high <= 1 ? high : between(1, Math.max(1, high >>> below(32 - leadingZeros(high))));
  }

  /// Returns `length` bytes without short-term repetitions.
  public byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; ) {
      long word = nextLong();
      for (int end = Math.min(length, i + Long.BYTES); i < end; i++, word >>>= Byte.SIZE) {
        bytes[i] = (byte) word;
      }
    }
    return bytes;
  }

  /// Returns another source, independent of how often this one is used afterwards.
  public SimRandom split() {
    return new SimRandom(nextLong());
  }

  private static int leadingZeros(int value) {
    return Integer.numberOfLeadingZeros(value);
  }
}
