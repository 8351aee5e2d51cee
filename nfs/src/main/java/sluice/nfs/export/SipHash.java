package sluice.nfs.export;

/// Computes the SipHash-2-4 of a 32-byte message (Aumasson and Bernstein, "SipHash: a fast
/// short-input PRF", 2012). This is a keyed hash that cannot be computed without the key. This
/// class is stateless.
final class SipHash {
  private SipHash() {}

  /// Returns the hash of a message.
  ///
  /// @param key0 the first half of the key
  /// @param key1 the second half of the key
  /// @param a the first eight bytes of the message as a little-endian number; the remaining bytes
  ///   are in b, c and d
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

  /// Returns a word of the padded message. The message consists of four data words, a word that
  /// contains the length in its last byte, and a zero word for the finalization.
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
