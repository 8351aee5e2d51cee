package sluice.fs.ext2.layout;

/// The order in which a directory that has, or may get, a tree of hashes is listed: by the hash of
/// the tree, then by one of our own, then by name. Immutable: any thread may use it.
///
/// ```
/// key:    | 31 bits of the tree's hash | 27 bits of ours | 4 bits: which of those alike |
/// cookie: | 0 | 1 | key + 1                                                             |
/// ```
///
/// A key is a name's own and stays the same wherever its entry is, also over a restart. Names alike
/// in 58 bits (two of 100 000 are so in one directory of 50 million) are counted by name: only if
/// one of them comes or goes just when a page ends between them can the other be missed or come
/// twice.
public final class HashOrder {
  /// Tells a cookie from the byte offset in a directory that is listed by places.
  private static final long COOKIE = 1L << 62;

  private static final int MINOR_BITS = 27;
  private static final int ALIKE_BITS = 4;
  static final int MOST_ALIKE = (1 << ALIKE_BITS) - 1;
  private static final int MAJOR_SHIFT = MINOR_BITS + ALIKE_BITS;

  private final int[] seed;
  private final long start;
  private final long factor;

  public HashOrder(Geometry geometry) {
    seed = geometry.hashSeed;
    start = (long) seed[0] << 32 ^ seed[1];
    factor = (((long) seed[2] << 32 ^ seed[3]) * 0x9E3779B97F4A7C15L) | 1;
  }

  public static boolean isCookie(long cookie) {
    return (cookie & COOKIE) != 0;
  }

  /// The least key that is still to come. A number below all cookies is the start.
  public static long from(long cookie) {
    return isCookie(cookie) ? cookie & ~COOKIE : 0;
  }

  public static long cookieAfter(long key) {
    return COOKIE | (key + 1);
  }

  /// A key without what tells those alike.
  static long group(long key) {
    return key & ~MOST_ALIKE;
  }

  /// The hash of the tree that a key begins with.
  public static int hash(long key) {
    return (int) (key >>> MAJOR_SHIFT) << 1;
  }

  /// The least key with a hash of the tree.
  public static long least(int hash) {
    return (hash & 0xFFFF_FFFFL) >>> 1 << MAJOR_SHIFT;
  }

  /// The key of a name that no other is alike.
  long key(int version, byte[] bytes, int at, int count) {
    if (count <= 2 && bytes[at] == '.' && bytes[at + count - 1] == '.') {
      return (long) (count - 1) << ALIKE_BITS; // they are not in the leaves: before all others
    }
    long mixed = start ^ count;
    for (int i = at; i < at + count; i++) {
      mixed = (mixed ^ (bytes[i] & 0xFF)) * factor;
      mixed ^= mixed >>> 29;
    }
    long minor = mixed >>> (Long.SIZE - MINOR_BITS);
    return least(DirectoryHash.of(version, bytes, at, count, seed)) | minor << ALIKE_BITS;
  }

  /// Whether `.` or `..` has such a key or a higher one.
  public static boolean isBeforeNames(long key) {
    return key <= (1L << ALIKE_BITS | MOST_ALIKE);
  }
}
