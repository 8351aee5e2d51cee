package sluice.fs.ext2;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.fs.block.Buffer;
import sluice.fs.block.BufferCache;
import sluice.fs.ext2.layout.BitRun;
import sluice.fs.ext2.layout.BlockRuns;
import sluice.fs.ext2.layout.Geometry;

/// Hands out blocks near a wished one, and takes them back. Any thread with an operation open may
/// call; it takes the lock of the [GroupDescriptors].
///
/// Blocks are promised before anything is changed ([GroupDescriptors#reserve]), so an operation is
/// refused with `ENOSPC` as a whole or not at all; allocating what was promised succeeds unless
/// bitmaps and counts contradict each other.
final class BlockAllocator {
  /// No such bit.
  private static final int NONE = -1;

  private static final long LOW_BITS = 0x0101_0101_0101_0101L;
  private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

  private final Geometry geometry;
  private final GroupDescriptors groups;
  private final BufferCache cache;

  /// Per group, where the next file's first block had best be: behind where there was room last, so
  /// that full blocks are not looked through for each file, or where blocks were freed, which may
  /// be in the cache still. Under the lock, or as a hint.
  private final int[] nextRoom;

  BlockAllocator(Volume volume) {
    geometry = volume.geometry;
    groups = volume.groups;
    cache = volume.cache;
    nextRoom = new int[geometry.groups];
  }

  /// Where the first block of a file had best be.
  long goal(int group) {
    return geometry.groupStart(group) + nextRoom[group];
  }

  /// Allocates a run of promised blocks.
  ///
  /// @param goal where it should begin
  /// @param wanted most blocks, at least 1
  /// @return first block in the low 40 bits, number of blocks above them
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

  /// The wished bit, else the first of eight free ones in a byte, else the first free one.
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

  /// The first bit of a byte in which all are free. Bitmaps are looked at 64 bits at a time.
  private static int findFreeByte(Buffer bitmap, long @Nullable [] busy, int from, int to) {
    int at = from;
    while (at < to) {
      if ((at & 7) == 0 && at + 8 <= to) {
        long taken = word(bitmap, busy, at);
        long zeros = (taken - LOW_BITS) & ~taken & HIGH_BITS; // its lowest bit is the first's
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

  /// Eight bytes of a bitmap from a multiple of eight on, with those that wait.
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

  /// Frees a run of blocks of one group; they are available when the operation is stable.
  ///
  /// @throws FsException `EUCLEAN` when they are free already
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
