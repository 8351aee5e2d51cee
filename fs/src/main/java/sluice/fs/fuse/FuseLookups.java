package sluice.fs.fuse;

import java.util.Arrays;

/// The kernel's lookup count of each inode, together with two flags: the tree retains the inode on
/// behalf of the kernel, and the directory has lost a name. This class is not thread-safe, so the
/// owner must synchronize access.
///
/// The counts are stored in a hash table with open addressing, which uses two longs per slot and is
/// at most half full. The kernel itself uses about fifty times as much memory for each inode.
final class FuseLookups {
  private static final int SMALLEST = 16;
  private static final long HELD = 1;
  private static final long LOST_NAMES = 2;
  private static final int COUNT_SHIFT = 2;
  private static final long ONE = 1 << COUNT_SHIFT;

  /// The inode in each slot, or 0 if the slot is free. No inode has the number 0.
  private long[] inodes = new long[SMALLEST];

  /// The lookup count, [#LOST_NAMES] and [#HELD] of each slot.
  private long[] values = new long[SMALLEST];

  private int size;

  private int place(long inode) {
    int at = (int) ((inode * 0x9E3779B97F4A7C15L) >>> 32) & (inodes.length - 1);
    while (inodes[at] != 0 && inodes[at] != inode) {
      at = (at + 1) & (inodes.length - 1);
    }
    return at;
  }

  int size() {
    return size;
  }

  boolean contains(long inode) {
    return inodes[place(inode)] == inode;
  }

  /// Counts a lookup.
  void add(long inode) {
    int at = place(inode);
    if (inodes[at] == 0) {
      if ((size + 1) * 2 > inodes.length) {
        resize(inodes.length * 2);
        at = place(inode);
      }
      inodes[at] = inode;
      size++;
    }
    values[at] += ONE;
  }

  /// Decrements the lookup count of an inode that the kernel has forgotten.
  ///
  /// @return true if the count is now 0 and the tree had retained the inode
  boolean forget(long inode, long count) {
    int at = place(inode);
    if (inodes[at] == 0 || count <= 0) {
      return false;
    }
    long left = (values[at] >>> COUNT_SHIFT) - count;
    if (left > 0) {
      values[at] = left << COUNT_SHIFT | (values[at] & (ONE - 1));
      return false;
    }
    boolean held = (values[at] & HELD) != 0;
    remove(at);
    return held;
  }

  /// Records that a directory has lost a name.
  ///
  /// @return false if the kernel does not know the directory, or if the flag was already set
  boolean loseName(long inode) {
    int at = place(inode);
    if (inodes[at] == 0 || (values[at] & LOST_NAMES) != 0) {
      return false;
    }
    values[at] |= LOST_NAMES;
    return true;
  }

  /// Returns true if [#loseName] was called since the kernel's first lookup.
  boolean hasLostNames(long inode) {
    int at = place(inode);
    return inodes[at] != 0 && (values[at] & LOST_NAMES) != 0;
  }

  /// Records that the tree retains an inode.
  ///
  /// @return false if the kernel does not know the inode, or if the flag was already set
  boolean hold(long inode) {
    int at = place(inode);
    if (inodes[at] == 0 || (values[at] & HELD) != 0) {
      return false;
    }
    values[at] |= HELD;
    return true;
  }

  /// Returns the inodes that the tree retains.
  long[] held() {
    long[] found = new long[size];
    int count = 0;
    for (int i = 0; i < inodes.length; i++) {
      if (inodes[i] != 0 && (values[i] & HELD) != 0) {
        found[count++] = inodes[i];
      }
    }
    return Arrays.copyOf(found, count);
  }

  /// Frees a slot and moves the entries after it, so that they can still be found.
  private void remove(int place) {
    int mask = inodes.length - 1;
    int gap = place;
    int at = (gap + 1) & mask;
    inodes[gap] = 0;
    values[gap] = 0;
    size--;
    while (inodes[at] != 0) {
      long inode = inodes[at];
      long value = values[at];
      inodes[at] = 0;
      values[at] = 0;
      int better = place(inode);
      inodes[better] = inode;
      values[better] = value;
      at = (at + 1) & mask;
    }
    if (inodes.length > SMALLEST && size * 8 < inodes.length) {
      resize(inodes.length / 2);
    }
  }

  private void resize(int places) {
    long[] oldInodes = inodes;
    long[] oldValues = values;
    inodes = new long[places];
    values = new long[places];
    for (int i = 0; i < oldInodes.length; i++) {
      if (oldInodes[i] != 0) {
        int at = place(oldInodes[i]);
        inodes[at] = oldInodes[i];
        values[at] = oldValues[i];
      }
    }
  }
}
