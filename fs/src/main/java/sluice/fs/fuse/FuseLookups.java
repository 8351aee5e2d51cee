package sluice.fs.fuse;

import java.util.Arrays;

/// How often the kernel was told of each inode, whether the tree keeps the inode for it, and
/// whether it is a directory that has lost a name since. Of one thread, or under a lock of its
/// owner.
///
/// Open addressing, two longs a place, at most half of them used: what a kernel holds takes it
/// fifty times that.
final class FuseLookups {
  private static final int SMALLEST = 16;
  private static final long HELD = 1;
  private static final long LOST_NAMES = 2;
  private static final int COUNT_SHIFT = 2;
  private static final long ONE = 1 << COUNT_SHIFT;

  /// 0 where a place is free: no inode has that number.
  private long[] inodes = new long[SMALLEST];

  /// The count, [#LOST_NAMES] and [#HELD].
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

  /// The kernel is told once more.
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

  /// The kernel has forgotten so many.
  ///
  /// @return whether it knows the inode no more and the tree had kept it
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

  /// Notes that a directory has lost a name.
  ///
  /// @return false when the kernel does not know it, or it was noted before
  boolean loseName(long inode) {
    int at = place(inode);
    if (inodes[at] == 0 || (values[at] & LOST_NAMES) != 0) {
      return false;
    }
    values[at] |= LOST_NAMES;
    return true;
  }

  /// Whether [#loseName] was called since the kernel knows the inode.
  boolean hasLostNames(long inode) {
    int at = place(inode);
    return inodes[at] != 0 && (values[at] & LOST_NAMES) != 0;
  }

  /// Notes that the tree keeps the inode.
  ///
  /// @return false when the kernel does not know it, or it was noted before
  boolean hold(long inode) {
    int at = place(inode);
    if (inodes[at] == 0 || (values[at] & HELD) != 0) {
      return false;
    }
    values[at] |= HELD;
    return true;
  }

  /// The inodes that the tree keeps.
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

  /// Frees a place and closes the gap, so that nothing behind it is lost.
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
