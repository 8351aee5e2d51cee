package sluice.fs.ext2.layout;

import org.jspecify.annotations.Nullable;
import sluice.fs.block.Buffer;

/// Tests and changes runs of bits in a block bitmap, 64 bits at a time. The methods must be called
/// by a thread that holds the lock of the bitmap.
///
/// Bit `n` is bit `n & 7` of byte `n >> 3`, so it is bit `n & 63` of the little-endian word at byte
/// `n >> 6 << 3`. A block consists of whole words.
public final class BitRun {
  private BitRun() {}

  /// Returns the mask of the bits of the range `[from, to)` that belong to the word in which the
  /// range begins.
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

  /// Returns the first bit in the range `[from, to)` that is set in the bitmap or in `busy`, or
  /// `to` if there is none.
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

  /// Returns the first bit in the range `[from, to)` that is clear, or `to` if there is none.
  public static int firstClear(Buffer bitmap, int from, int to) {
    for (int bit = from; bit < to; bit = nextWord(bit)) {
      long found = ~bitmap.getLong(offset(bit)) & mask(bit, to);
      if (found != 0) {
        return (bit & -64) + Long.numberOfTrailingZeros(found);
      }
    }
    return to;
  }

  /// Sets the bits in the range `[from, to)`.
  public static void set(Buffer bitmap, int from, int to) {
    for (int bit = from; bit < to; bit = nextWord(bit)) {
      bitmap.setLong(offset(bit), bitmap.getLong(offset(bit)) | mask(bit, to));
    }
  }

  /// Clears the bits in the range `[from, to)`.
  public static void clear(Buffer bitmap, int from, int to) {
    for (int bit = from; bit < to; bit = nextWord(bit)) {
      bitmap.setLong(offset(bit), bitmap.getLong(offset(bit)) & ~mask(bit, to));
    }
  }
}
