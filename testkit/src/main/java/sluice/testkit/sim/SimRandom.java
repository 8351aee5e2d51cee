package sluice.testkit.sim;

/// The one source of chance in a simulation: splitmix64, so that a seed means the same on every
/// JDK. Owned by the thread that runs the simulation.
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

  /// A number from 0 to `bound - 1`; `bound` is at least 1.
  public int below(int bound) {
    return (int) (((nextLong() >>> 32) * bound) >>> 32);
  }

  /// A number from `low` to `high`, both included.
  public int between(int low, int high) {
    return low + below(high - low + 1);
  }

  /// True with a probability of `perMille` in a thousand.
  public boolean chance(int perMille) {
    return perMille > 0 && below(1000) < perMille;
  }

  /// Mostly small, sometimes as large as `high`: each order of magnitude is as likely as the next.
  public int skewed(int high) {
    return high <= 1 ? high : between(1, Math.max(1, high >>> below(32 - leadingZeros(high))));
  }

  /// `length` bytes that repeat nowhere soon.
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

  /// Another source, independent of how often this one is asked afterwards.
  public SimRandom split() {
    return new SimRandom(nextLong());
  }

  private static int leadingZeros(int value) {
    return Integer.numberOfLeadingZeros(value);
  }
}
