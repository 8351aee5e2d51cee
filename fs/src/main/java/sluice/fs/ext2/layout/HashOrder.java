package sluice.fs.ext2.layout;

/// The order in which a directory is listed that has a hash tree or may be converted to one.
/// Entries are ordered by the hash of the tree, then by a second hash, and then by name. Instances
/// are immutable and thread-safe.
///
/// ```
/// key:    | 31 bits of the tree's hash | 27 bits of the second | 4 bits: number among equal |
/// cookie: | 0 | 1 | key + 1                                                                 |
/// ```
///
/// The key of a name does not depend on the location of its entry, and is preserved across
/// restarts. Names that are equal in 58 bits (two of 100 000 names in one directory of 50 million)
/// are numbered by name. Only if such a name is added or removed while a page ends between two of
/// them can the other name be missed or repeated.
public final class HashOrder {
  /// A bit that distinguishes a cookie from a byte offset in a directory that is listed by
  /// position.
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

  /// Returns the smallest key of the rest of a listing. A number that is not a cookie denotes the
  /// start.
  public static long from(long cookie) {
    return isCookie(cookie) ? cookie & ~COOKIE : 0;
  }

  public static long cookieAfter(long key) {
    return COOKIE | (key + 1);
  }

  /// Returns a key without the number among equal names.
  static long group(long key) {
    return key & ~MOST_ALIKE;
  }

  /// Returns the hash of the tree that is contained in a key.
  public static int hash(long key) {
    return (int) (key >>> MAJOR_SHIFT) << 1;
  }

  /// Returns the smallest key that contains the given hash of the tree.
  public static long least(int hash) {
    return (hash & 0xFFFF_FFFFL) >>> 1 << MAJOR_SHIFT;
  }

  /// Returns the key of a name that has no equal names.
  long key(int version, byte[] bytes, int at, int count) {
    if (count <= 2 && bytes[at] == '.' && bytes[at + count - 1] == '.') {
      // they are not in the leaves and precede all other names
      return (long) (count - 1) << ALIKE_BITS;
    }
    long mixed = start ^ count;
    for (int i = at; i < at + count; i++) {
      mixed = (mixed ^ (bytes[i] & 0xFF)) * factor;
      mixed ^= mixed >>> 29;
    }
    long minor = mixed >>> (Long.SIZE - MINOR_BITS);
    return least(DirectoryHash.of(version, bytes, at, count, seed)) | minor << ALIKE_BITS;
  }

  /// Returns true if a listing from a key may include `.` or `..`.
  public static boolean isBeforeNames(long key) {
    return key <= (1L << ALIKE_BITS | MOST_ALIKE);
  }
}
