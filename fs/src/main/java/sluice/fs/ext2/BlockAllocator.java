package sluice.fs.ext2;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.fs.block.Buffer;
import sluice.fs.block.BufferCache;
import sluice.fs.ext2.layout.BitRun;
import sluice.fs.ext2.layout.BlockRuns;
import sluice.fs.ext2.layout.Geometry;

/// Allocates blocks as close as possible to a given goal block, and frees them. The methods may be
/// called by any thread that has an open operation, and acquire the lock of the [GroupDescriptors].
///
/// Blocks are reserved before anything is changed ([GroupDescriptors#reserve]), so an operation
/// either fails with `ENOSPC` before its first change, or succeeds. Allocating reserved blocks can
/// fail only if the bitmaps and the free counts are inconsistent.
final class BlockAllocator {
  /// The result of a search that did not find a free bit.
  private static final int NONE = -1;

  private static final long LOW_BITS = 0x0101_0101_0101_0101L;
  private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

  private final Geometry geometry;
  private final GroupDescriptors groups;
  private final BufferCache cache;

  /// For each group, the bit at which the search for the blocks of the next file begins. It follows
  /// the last allocation, so that a search neither scans full blocks again for each file nor
  /// returns blocks that were freed recently and may still be in the cache. The array is written
  /// under the lock, and is read without the lock as a hint.
  private final int[] nextRoom;

  BlockAllocator(Volume volume) {
    geometry = volume.geometry;
    groups = volume.groups;
    cache = volume.cache;
    nextRoom = new int[geometry.groups];
  }

  /// Returns the preferred first block for a new file in the given group.
  long goal(int group) {
    return geometry.groupStart(group) + nextRoom[group];
  }

  /// Allocates a run of blocks that have been reserved.
  ///
  /// @param goal the block at which the run should begin
  /// @param wanted the maximum number of blocks to allocate, at least 1
  /// @return the first block in the low 40 bits, and the number of blocks in the bits above
  long allocate(Operation op, long goal, int wanted) throws IOException {
    groups.lock.lock();
    try {
      long near = goal > geometry.firstDataBlock && goal < geometry.blocks ? goal : firstBlock();
      int home = geometry.groupOfBlock(near);
      for (int i = 0; i < geometry.groups; i++) {
        int group = home + i;
        group = group >= geometry.groups ? group - geometry.groups : group;
        if (groups.freeBlocks(group) > 0) {
          int from = i == 0 ? (int) (near - geometry.groupStart(home)) : 0;
          long run = allocateIn(op, group, from, wanted);
          if (run != NONE) {
            return run;
          }
        }
      }
    } finally {
      groups.lock.unlock();
    }
    throw groups.overCounted("blocks", groups::freeBlocks);
  }

  private long firstBlock() {
    return geometry.firstDataBlock + 1L;
  }

  private long allocateIn(Operation op, int group, int from, int wanted) throws IOException {
    int bits = geometry.groupBlocks(group);
    long bitmap = groups.blockBitmap(group);
    long @Nullable [] busy = groups.busy(group);
    int start;
    int end;
    try (Buffer buffer = cache.read(bitmap)) {
      start = findRoom(buffer, busy, from, bits);
      if (start == NONE) {
        return NONE;
      }
      int last = Math.min(bits, start + Math.min(wanted, groups.freeBlocks(group)));
      end = BitRun.firstSet(buffer, busy, start + 1, last);
    }
    long first = geometry.groupStart(group) + start;
    long metadata = groups.firstMetadata(group, first, first + end - start);
    if (metadata != BlockRuns.NOWHERE) {
      throw FsException.corrupt(0, bitmap, "the bitmap says that metadata is free: " + metadata);
    }
    try (Buffer buffer = op.change(bitmap)) {
      BitRun.set(buffer, start, end);
    }
    if (start != from || from == nextRoom[group]) {
      int next = (end + 7) & -8;
      nextRoom[group] = next < bits ? next : 0;
    }
    op.promise(start - end);
    groups.countBlocks(op, group, start - end);
    return first | (long) (end - start) << 40;
  }

  /// Returns the preferred bit if it is free. Otherwise returns the first bit of a free byte, or
  /// the first free bit if there is no free byte.
  private static int findRoom(Buffer bitmap, long @Nullable [] busy, int from, int bits) {
    if (from < bits && isFree(bitmap, busy, from)) {
      return from;
    }
    int room = findFreeByte(bitmap, busy, (from + 7) >> 3, bits >> 3);
    if (room == NONE) {
      room = findFreeByte(bitmap, busy, 0, Math.min(from >> 3, bits >> 3));
    }
    if (room != NONE) {
      return room;
    }
    int after = findFreeBit(bitmap, busy, from, bits);
    return after != NONE ? after : findFreeBit(bitmap, busy, 0, Math.min(from, bits));
  }

  /// Returns the first bit of a byte whose bits are all free. Scans 64 bits at a time.
  private static int findFreeByte(Buffer bitmap, long @Nullable [] busy, int from, int to) {
    int at = from;
    while (at < to) {
      if ((at & 7) == 0 && at + 8 <= to) {
        long taken = word(bitmap, busy, at);
        // The lowest bit that is set belongs to the first free byte.
        long zeros = (taken - LOW_BITS) & ~taken & HIGH_BITS;
        if (zeros != 0) {
          return (at << 3) + (Long.numberOfTrailingZeros(zeros) & -8);
        }
        at += 8;
      } else if (isFreeByte(bitmap, busy, at)) {
        return at << 3;
      } else {
        at++;
      }
    }
    return NONE;
  }

  private static boolean isFreeByte(Buffer bitmap, long @Nullable [] busy, int at) {
    return bitmap.getByte(at) == 0 && (busy == null || (busy[at >> 3] >> (at << 3) & 0xFF) == 0);
  }

  /// Returns eight bytes of a bitmap at an offset that is a multiple of eight. The result also
  /// includes the bits of blocks that were freed by changes that are not yet durable.
  private static long word(Buffer bitmap, long @Nullable [] busy, int at) {
    return bitmap.getLong(at) | (busy == null ? 0 : busy[at >> 3]);
  }

  private static int findFreeBit(Buffer bitmap, long @Nullable [] busy, int from, int to) {
    int bit = from;
    while (bit < to) {
      if ((bit & 63) == 0 && bit + 64 <= to) {
        long free = ~word(bitmap, busy, bit >> 3);
        if (free != 0) {
          return bit + Long.numberOfTrailingZeros(free);
        }
        bit += 64;
      } else if (isFree(bitmap, busy, bit)) {
        return bit;
      } else {
        bit++;
      }
    }
    return NONE;
  }

  private static boolean isFree(Buffer bitmap, long @Nullable [] busy, int bit) {
    return (bitmap.getByte(bit >> 3) >> (bit & 7) & 1) == 0
        && (busy == null || (busy[bit >> 6] >> bit & 1) == 0);
  }

  /// Frees a run of blocks within one group. The blocks become available when the operation is
  /// durable.
  ///
  /// @throws FsException `EUCLEAN` if the bitmap already marks one of the blocks as free
  void free(Operation op, long inode, long first, int count) throws IOException {
    int group = geometry.groupOfBlock(first);
    int start = (int) (first - geometry.groupStart(group));
    groups.lock.lock();
    try {
      try (Buffer buffer = cache.read(groups.blockBitmap(group))) {
        int free = BitRun.firstClear(buffer, start, start + count);
        if (free < start + count) {
          throw FsException.corrupt(
              inode, first + free - start, "a file's block is marked free in the bitmap");
        }
      }
      try (Buffer buffer = op.change(groups.blockBitmap(group))) {
        BitRun.clear(buffer, start, start + count);
      }
      nextRoom[group] = Math.min(nextRoom[group], start & -8);
      groups.countBlocks(op, group, count);
      groups.setBusy(group, start, count);
    } finally {
      groups.lock.unlock();
    }
    op.freed(first, count);
  }
}
