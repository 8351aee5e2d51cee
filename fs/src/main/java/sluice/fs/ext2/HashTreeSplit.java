package sluice.fs.ext2;

import java.util.Arrays;
import sluice.fs.ext2.layout.DirectoryHash;
import sluice.fs.ext2.layout.EntryBytes;
import sluice.fs.ext2.layout.EntryLayout;
import sluice.fs.ext2.layout.ScratchBlocks;

/// The split of a full leaf of a hash tree into two leaves by the hashes of its names. Instances
/// are confined to the thread that adds the name and holds the write lock of the directory.
///
/// The half to which the new name belongs is moved to a new block. The other names keep their
/// positions in the old block, so that the block is still a valid block of entries if it is written
/// only partially because of a crash. The split is computed before anything is changed, and
/// contains the new content of both blocks.
final class HashTreeSplit {
  /// The number of bits that represent a byte offset in a block.
  private static final int OFFSET_BITS = 16;

  final HashTree.Path path;

  /// The old content of the leaf.
  final byte[] before;

  /// The new content of the old block. The content of the new block is [#fresh].
  final byte[] kept;

  final byte[] fresh;

  /// The hash and the old offset of each name, in ascending order of the hashes.
  private final long[] order;

  /// The new offset of each name in its block.
  private final int[] places;

  private final int highFrom;
  private int last;

  /// Computes a split.
  ///
  /// @param start the offset of the first name to move; if the leaf is the only block of the
  ///   directory, this is the offset after `.` and `..`, and no names are left in the old block
  HashTreeSplit(HashTree.Path path, byte[] before, int start, int[] seed, ScratchBlocks scratch) {
    this.path = path;
    this.before = before;
    order = sorted(before, start, path.version, seed);
    places = new int[order.length];
    highFrom = half();
    kept = scratch.take();
    fresh = scratch.take();
    if (isPossible()) {
      int middle = highFrom;
      boolean high = isFreshHigh();
      if (path.isNew) {
        pack(kept, high ? 0 : middle, high ? middle : order.length);
      } else {
        keep(high ? 0 : middle, high ? middle : order.length);
      }
      pack(fresh, high ? middle : 0, high ? order.length : middle);
    }
  }

  private static long[] sorted(byte[] bytes, int start, int version, int[] seed) {
    long[] found = new long[bytes.length / EntryLayout.bytes(1)];
    int count = 0;
    for (int at = start; at < bytes.length; at += EntryBytes.recordLength(bytes, at)) {
      if (EntryBytes.inode(bytes, at) != 0) {
        int length = EntryBytes.nameLength(bytes, at);
        int hash = DirectoryHash.of(version, bytes, at + EntryLayout.NAME, length, seed);
        found[count++] = (hash & 0xFFFF_FFFFL) << OFFSET_BITS | at;
      }
    }
    long[] order = Arrays.copyOf(found, count);
    Arrays.sort(order);
    return order;
  }

  /// Returns the first name of the upper half, measured in bytes. The longest name fits into either
  /// half after it has been compacted, because a name occupies little more than a quarter of a
  /// block at most.
  private int half() {
    int total = 0;
    for (int i = 0; i < order.length; i++) {
      total += used(i);
    }
    int below = 0;
    int best = 1;
    int bestDistance = Integer.MAX_VALUE;
    for (int i = 1; i < order.length; i++) {
      below += used(i - 1);
      int distance = Math.abs(2 * below - total);
      if (distance < bestDistance) {
        bestDistance = distance;
        best = i;
      }
    }
    return best;
  }

  /// Removes all names except for the given range from the old block. The remaining names keep
  /// their positions.
  private void keep(int from, int to) {
    System.arraycopy(before, 0, kept, 0, before.length);
    for (int i = 0; i < order.length; i++) {
      int at = offsetBefore(i);
      places[i] = at;
      if (i < from || i >= to) {
        EntryBytes.setInt(kept, at + EntryLayout.INODE, 0);
      }
    }
    int behind = -1;
    for (int at = 0; at < before.length; at += EntryBytes.recordLength(before, at)) {
      boolean given = EntryBytes.inode(kept, at) == 0 && EntryBytes.inode(before, at) != 0;
      if (given && behind >= 0) {
        int length = EntryBytes.recordLength(before, at);
        EntryBytes.setRecordLength(kept, behind, EntryBytes.recordLength(kept, behind) + length);
      } else {
        behind = at;
      }
    }
  }

  private void pack(byte[] into, int from, int to) {
    int at = 0;
    for (int i = from; i < to; i++) {
      last = at;
      System.arraycopy(before, offsetBefore(i), into, at, used(i));
      EntryBytes.setRecordLength(into, at, used(i));
      places[i] = at;
      at += used(i);
    }
    Arrays.fill(into, at, into.length, (byte) 0);
    EntryBytes.setRecordLength(into, last, into.length - last);
  }

  private int used(int i) {
    return EntryLayout.bytes(EntryBytes.nameLength(before, offsetBefore(i)));
  }

  private int hash(int i) {
    return (int) (order[i] >>> OFFSET_BITS);
  }

  int count() {
    return order.length;
  }

  int offsetBefore(int i) {
    return (int) order[i] & ((1 << OFFSET_BITS) - 1);
  }

  /// Returns the new offset of a name in its block.
  int offset(int i) {
    return places[i];
  }

  boolean isFresh(int i) {
    return i >= highFrom == isFreshHigh();
  }

  /// Returns true if the leaf contains at least two names and all of their hashes belong to the
  /// leaf.
  boolean isPossible() {
    return order.length >= 2
        && Integer.compareUnsigned(hash(0), path.start() & ~1) >= 0
        && path.isBelowEnd(hash(order.length - 1));
  }

  /// Returns the smallest hash of the upper half. Its lowest bit is set if the lower half ends with
  /// the same hash.
  ///
  /// The boundary is halfway between the hash of the last name below it and the hash of the first
  /// name above it, and not equal to the latter. As a result, e2fsck detects names that were left
  /// in both leaves by a crash, even if there is only one such name. one.
  int boundary() {
    int below = hash(highFrom - 1);
    int above = hash(highFrom);
    return below == above ? above | 1 : above - ((above - below) >>> 1 & ~1);
  }

  /// Returns true if the new block contains the upper half, to which the new name belongs.
  boolean isFreshHigh() {
    return Integer.compareUnsigned(path.hash, boundary() & ~1) >= 0;
  }

  /// Returns the offset of the last name in the new block, which is followed by free space.
  int lastFresh() {
    return last;
  }
}
