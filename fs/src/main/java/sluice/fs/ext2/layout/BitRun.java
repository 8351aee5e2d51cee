package sluice.fs.ext2.layout;

import org.jspecify.annotations.Nullable;
import sluice.fs.block.Buffer;

/// Runs of bits in a bitmap of blocks, looked at and changed 64 at a time. Any thread may call that
/// holds the lock of the bitmap.
///
/// Bit `n` is bit `n & 7` of byte `n >> 3`, so it is bit `n & 63` of the little-endian word at byte
/// `n >> 6 << 3`. A block holds whole words.
public final class BitRun {
  private BitRun() {}

  /// The bits of a word that belong to `[from, to)`, which begins in it.
  private static long mask(int from, int to) {
    long upwards = -1L << from;
    return to - (from & -64) < 64 ? upwards & ~(-1L << to) : upwards;
  }

  private static int offset(int bit) {
    return bit >> 6 << 3;
  }

  private static int nextWord(int bit) {
    return (bit & -64) + 64;
  }

  /// The first bit of `[from, to)` that is set, here or in what waits; `to` if there is none.
  public static int firstSet(Buffer bitmap, long @Nullable [] busy, int from, int to) {
    for (int bit = from; bit < to; bit = nextWord(bit)) {
      long word = bitmap.getLong(offset(bit)) | (busy == null ? 0 : busy[bit >> 6]);
      long found = word & mask(bit, to);
      if (found != 0) {
        return (bit & -64) + Long.numberOfTrailingZeros(found);
      }
    }
    return to;
  }

  /// The first bit of `[from, to)` that is not set, `to` if there is none.
  public static int firstClear(Buffer bitmap, int from, int to) {
    for (int bit = from; bit < to; bit = nextWord(bit)) {
      long found = ~bitmap.getLong(offset(bit)) & mask(bit, to);
      if (found != 0) {
        return (bit & -64) + Long.numberOfTrailingZeros(found);
      }
    }
    return to;
  }

  /// Sets the bits of `[from, to)`.
  public static void set(Buffer bitmap, int from, int to) {
    for (int bit = from; bit < to; bit = nextWord(bit)) {
      bitmap.setLong(offset(bit), bitmap.getLong(offset(bit)) | mask(bit, to));
    }
  }

  /// Clears the bits of `[from, to)`.
  public static void clear(Buffer bitmap, int from, int to) {
    for (int bit = from; bit < to; bit = nextWord(bit)) {
      bitmap.setLong(offset(bit), bitmap.getLong(offset(bit)) & ~mask(bit, to));
    }
  }
}
