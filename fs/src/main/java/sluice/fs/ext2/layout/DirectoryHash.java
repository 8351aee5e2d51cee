package sluice.fs.ext2.layout;

/// Computes the hashes of names in indexed directories. The supported hash functions are the legacy
/// hash, half MD4, and TEA, each with signed or unsigned bytes. This class is stateless and
/// thread-safe.
///
/// The functions are described in Phillips, "A Directory Index for Ext2", 2001; Rivest, RFC 1320;
/// and Wheeler, Needham, "TEA, a Tiny Encryption Algorithm", 1994.
public final class DirectoryHash {
  public static final int LEGACY = 0;
  public static final int HALF_MD4 = 1;
  public static final int TEA = 2;

  /// The value that is added to a version if bytes are unsigned.
  public static final int UNSIGNED = 3;

  private static final int ROUND_2 = 0x5A827999;
  private static final int ROUND_3 = 0x6ED9EBA1;
  private static final int END_OF_DIRECTORY = 0x7FFF_FFFF << 1;

  private DirectoryHash() {}

  public static boolean isKnown(int version) {
    return version >= LEGACY && version <= TEA + UNSIGNED;
  }

  /// Returns the hash of a name. The lowest bit of the hash is always 0.
  public static int of(int version, byte[] name, int[] seed) {
    return of(version, name, 0, name.length, seed);
  }

  /// Returns the hash of a name that is stored in a range of an array.
  public static int of(int version, byte[] bytes, int from, int count, int[] seed) {
    int end = from + count;
    boolean unsigned = version >= UNSIGNED;
    int kind = unsigned ? version - UNSIGNED : version;
    int[] state = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};
    if ((seed[0] | seed[1] | seed[2] | seed[3]) != 0) {
      state = seed.clone();
    }
    int hash =
        switch (kind) {
          case HALF_MD4 -> {
            int[] words = new int[8];
            for (int at = from; at < end; at += 32) {
              pack(bytes, at, end, words, unsigned);
              halfMd4(state, words);
            }
            yield state[1];
          }
          case TEA -> {
            int[] words = new int[4];
            for (int at = from; at < end; at += 16) {
              pack(bytes, at, end, words, unsigned);
              tea(state, words);
            }
            yield state[0];
          }
          default -> legacy(bytes, from, end, unsigned);
        };
    hash &= ~1;
    return hash == END_OF_DIRECTORY ? END_OF_DIRECTORY - 2 : hash;
  }

  private static int legacy(byte[] bytes, int from, int end, boolean unsigned) {
    int last = 0x37ABE8F9;
    int hash = 0x12A3FE2D;
    for (int i = from; i < end; i++) {
      byte b = bytes[i];
      int next = last + (hash ^ (unsigned ? b & 0xFF : b) * 7152373);
      if (next < 0) {
        next -= 0x7FFF_FFFF;
      }
      last = hash;
      hash = next;
    }
    return hash << 1;
  }

  /// Packs the bytes beginning at `at` into words, which are padded with the length.
  private static void pack(byte[] name, int at, int end, int[] words, boolean unsigned) {
    int left = end - at;
    int pad = left | left << 8;
    pad |= pad << 16;
    int count = Math.min(left, 4 * words.length);
    for (int word = 0; word < words.length; word++) {
      int value = pad;
      for (int i = 4 * word; i < Math.min(count, 4 * word + 4); i++) {
        byte b = name[at + i];
        value = (unsigned ? b & 0xFF : b) + (value << 8);
      }
      words[word] = value;
    }
  }

  private static void tea(int[] state, int[] key) {
    int sum = 0;
    int left = state[0];
    int right = state[1];
    for (int i = 0; i < 16; i++) {
      sum += 0x9E3779B9;
      left += ((right << 4) + key[0]) ^ (right + sum) ^ ((right >>> 5) + key[1]);
      right += ((left << 4) + key[2]) ^ (left + sum) ^ ((left >>> 5) + key[3]);
    }
    state[0] += left;
    state[1] += right;
  }

  private static final int[][] ORDER = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {1, 3, 5, 7, 0, 2, 4, 6}, {3, 7, 2, 6, 1, 5, 0, 4}
  };
  private static final int[][] SHIFTS = {{3, 7, 11, 19}, {3, 5, 9, 13}, {3, 9, 11, 15}};

  private static void halfMd4(int[] state, int[] in) {
    int a = state[0];
    int b = state[1];
    int c = state[2];
    int d = state[3];
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 8; i++) {
        int mixed =
            switch (round) {
              case 0 -> d ^ (b & (c ^ d));
              case 1 -> (b & c) + ((b ^ c) & d) + ROUND_2;
              default -> (b ^ c ^ d) + ROUND_3;
            };
        int next = Integer.rotateLeft(a + mixed + in[ORDER[round][i]], SHIFTS[round][i & 3]);
        a = d;
        d = c;
        c = b;
        b = next;
      }
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
  }
}
