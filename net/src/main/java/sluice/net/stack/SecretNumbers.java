package sluice.net.stack;

/// Generates numbers that cannot be predicted from earlier ones: SipHash-2-4 (Aumasson and
/// Bernstein, 2012) of 0, 1, 2, … under a secret key. Allocates nothing. Owned by the stack's
/// thread.
final class SecretNumbers {
  private final long key0;
  private final long key1;
  private long count;

  /// Creates a generator.
  ///
  /// @param seed the key, which must come from an unpredictable source, except in tests
  SecretNumbers(long seed) {
    this(seed, Long.rotateLeft(seed * 0x9e37_79b9_7f4a_7c15L, 32) ^ 0x6a09_e667_f3bc_c908L, 0);
  }

  SecretNumbers(long key0, long key1, long first) {
    this.key0 = key0;
    this.key1 = key1;
    this.count = first;
  }

  long next() {
    return hash(count++);
  }

  private long hash(long message) {
    long v0 = key0 ^ 0x736f_6d65_7073_6575L;
    long v1 = key1 ^ 0x646f_7261_6e64_6f6dL;
    long v2 = key0 ^ 0x6c79_6765_6e65_7261L;
    long v3 = key1 ^ 0x7465_6462_7974_6573L ^ message;
    long length = (long) Long.BYTES << 56;
    for (int round = 0; round < 8; round++) {
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
      if (round == 1) { // the message is absorbed; its length follows
        v0 ^= message;
        v3 ^= length;
      } else if (round == 3) {
        v0 ^= length;
        v2 ^= 0xff;
      }
    }
    return v0 ^ v1 ^ v2 ^ v3;
  }
}
