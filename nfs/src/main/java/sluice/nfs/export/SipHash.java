package sluice.nfs.export;

/// SipHash-2-4 of 32 bytes (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012): a
/// checksum that cannot be made without the key. Stateless: any thread may use it.
final class SipHash {
  private SipHash() {}

  /// @param key0 first half of the key
  /// @param key1 second half of the key
  /// @param a the message's first eight bytes, little-endian, as the others
  static long of(long key0, long key1, long a, long b, long c, long d) {
    long v0 = key0 ^ 0x736f6d6570736575L;
    long v1 = key1 ^ 0x646f72616e646f6dL;
    long v2 = key0 ^ 0x6c7967656e657261L;
    long v3 = key1 ^ 0x7465646279746573L;
    for (int i = 0; i < 6; i++) {
      long word = wordOf(i, a, b, c, d);
      v3 ^= word;
      v2 ^= i == 5 ? 0xff : 0;
      for (int round = i == 5 ? -2 : 0; round < 2; round++) {
        v0 += v1;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v0 = Long.rotateLeft(v0, 32);
        v2 += v3;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 += v3;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 += v1;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v2 = Long.rotateLeft(v2, 32);
      }
      v0 ^= word;
    }
    return v0 ^ v1 ^ v2 ^ v3;
  }

  /// The message, its length in the last byte of a word, and nothing for the end.
  private static long wordOf(int index, long a, long b, long c, long d) {
    return switch (index) {
      case 0 -> a;
      case 1 -> b;
      case 2 -> c;
      case 3 -> d;
      case 4 -> 32L << 56;
      default -> 0;
    };
  }
}
