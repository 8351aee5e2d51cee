package sluice.fs.ext2;

import java.util.Arrays;
import sluice.fs.ext2.layout.DirectoryHash;
import sluice.fs.ext2.layout.EntryBytes;
import sluice.fs.ext2.layout.EntryLayout;
import sluice.fs.ext2.layout.ScratchBlocks;

/// A leaf of a hash tree that is full, taken apart into two by the hashes of its names. Of the
/// thread that adds a name, with the directory's write lock.
///
/// The half where the new name belongs goes to a new block; the others stay where they are in
/// theirs, so that a block of which a crash has written a part is still one of entries. It is made
/// before anything is changed, and holds what both blocks will be.
final class HashTreeSplit {
  /// Bits of a byte offset in a block.
  private static final int OFFSET_BITS = 16;

  final HashTree.Path path;

  /// The leaf as it was.
  final byte[] before;

  /// The block that keeps its names, and the new one.
  final byte[] kept;

  final byte[] fresh;

  /// Hash and offset before of each name, in order of hashes.
  private final long[] order;

  /// Offset of each name in its block now.
  private final int[] places;

  private final int highFrom;
  private int last;

  /// @param start where its names begin: behind `.` and `..` in the only block of a directory,
  ///   which gives all of them away
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

  /// The first name of the upper half, by bytes: then the longest name fits into each that is
  /// packed, since none takes more than a quarter of a block and a little.
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

  /// Lets only some names stay, each at its place.
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

  /// Offset in its block now.
  int offset(int i) {
    return places[i];
  }

  boolean isFresh(int i) {
    return i >= highFrom == isFreshHigh();
  }

  /// Whether there are two names at least, with hashes that the leaf may have.
  boolean isPossible() {
    return order.length >= 2
        && Integer.compareUnsigned(hash(0), path.start() & ~1) >= 0
        && path.isBelowEnd(hash(order.length - 1));
  }

  /// The least hash of the upper half, with its lowest bit set when the lower one has it too.
  ///
  /// It is halfway between the last name below and the first one above, not that one's hash: then
  /// e2fsck sees names that a crash has left in both leaves, even when it is one name only.
  int boundary() {
    int below = hash(highFrom - 1);
    int above = hash(highFrom);
    return below == above ? above | 1 : above - ((above - below) >>> 1 & ~1);
  }

  /// Whether the new block has the upper half: that is where the new name belongs.
  boolean isFreshHigh() {
    return Integer.compareUnsigned(path.hash, boundary() & ~1) >= 0;
  }

  /// Offset of the last name in the new block, behind which there is room.
  int lastFresh() {
    return last;
  }
}
