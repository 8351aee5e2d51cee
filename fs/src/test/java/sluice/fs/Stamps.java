package sluice.fs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import sluice.memory.block.Block;

/// Blocks whose sectors each contain the number of the block, its version and a checksum, so that a
/// mixture of two versions or two blocks is detected.
public final class Stamps {
  private static final int SECTOR_BYTES = 512;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final long SALT = 0x9E3779B97F4A7C15L;

  private Stamps() {}

  public static void write(Block block, long number, long version) {
    MemorySegment bytes = block.segment();
    for (long at = 0; at < bytes.byteSize(); at += SECTOR_BYTES) {
      bytes.set(LONG, at, number);
      bytes.set(LONG, at + 8, version);
      for (long i = 16; i < SECTOR_BYTES; i += 8) {
        bytes.set(LONG, at + i, (number * 31 + version) * SALT + i);
      }
    }
  }

  /// Returns the version of a whole block.
  ///
  /// @return -1 if it is another block or a mixture
  public static long version(MemorySegment bytes, long number) {
    long version = sector(bytes, 0, number);
    for (long at = SECTOR_BYTES; at < bytes.byteSize(); at += SECTOR_BYTES) {
      if (sector(bytes, at, number) != version) {
        return -1;
      }
    }
    return version;
  }

  /// Returns the version of the sector at an offset; 0 if it is all zeros, -1 if it has no valid
  /// stamp.
  public static long sector(MemorySegment bytes, long at, long number) {
    long version = bytes.get(LONG, at + 8);
    boolean zero = version == 0 && bytes.get(LONG, at) == 0;
    for (long i = 16; i < SECTOR_BYTES; i += 8) {
      long expected = zero ? 0 : (number * 31 + version) * SALT + i;
      if (bytes.get(LONG, at + i) != expected) {
        return -1;
      }
    }
    return zero || bytes.get(LONG, at) == number ? version : -1;
  }
}
