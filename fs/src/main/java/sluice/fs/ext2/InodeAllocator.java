package sluice.fs.ext2;

import java.io.IOException;
import sluice.fs.FsException;
import sluice.fs.block.Buffer;
import sluice.fs.block.BufferCache;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.sys.Errno;

/// Allocates and frees inode numbers. The methods may be called by any thread that has an open
/// operation, and acquire the lock of the [GroupDescriptors].
///
/// A file is placed in the group of its directory. Top-level directories are spread across the
/// groups that have more free space than average. All other directories stay close to their parent
/// while its group has space (see Orlov's allocator, which is used by BSD and Linux).
final class InodeAllocator {
  private final Geometry geometry;
  private final GroupDescriptors groups;
  private final BufferCache cache;

  /// For each group, the byte of its bitmap before which no inode is free. Guarded by the lock of
  /// the group descriptors.
  private final int[] firstFree;

  InodeAllocator(Volume volume) {
    geometry = volume.geometry;
    groups = volume.groups;
    cache = volume.cache;
    firstFree = new int[geometry.groups];
  }

  /// Allocates an inode that has been reserved by [GroupDescriptors#reserveInode].
  ///
  /// @param spread true if the children of the parent are unrelated to each other
  /// @return the inode number
  long allocate(Operation op, long parent, boolean directory, boolean spread) throws IOException {
    groups.lock.lock();
    try {
      int home = geometry.groupOfInode(parent);
      int first = directory ? directoryGroup(home, parent, spread) : fileGroup(home);
      for (int i = 0; i < geometry.groups; i++) {
        int group = (first + i) % geometry.groups;
        if (groups.freeInodes(group) > 0) {
          int bit = takeBit(op, group);
          if (bit >= 0) {
            op.promiseInode(false);
            groups.countInodes(op, group, -1, directory ? 1 : 0);
            return (long) group * geometry.inodesPerGroup + bit + 1;
          }
        }
      }
    } finally {
      groups.lock.unlock();
    }
    throw groups.overCounted("inodes", groups::freeInodes);
  }

  private int fileGroup(int home) {
    int group = home;
    for (int step = 1; step < geometry.groups; step <<= 1) {
      if (groups.freeInodes(group) > 0 && groups.freeBlocks(group) > 0) {
        return group;
      }
      group = (group + step) % geometry.groups;
    }
    return home;
  }

  private int directoryGroup(int home, long parent, boolean spread) {
    int count = geometry.groups;
    long averageInodes = groups.freeInodes() / count;
    long averageBlocks = groups.freeBlocks() / count;
    int best = -1;
    if (spread || parent == InodeLayout.ROOT) {
      for (int group = 0; group < count; group++) {
        if (groups.freeInodes(group) > 0
            && groups.freeInodes(group) >= averageInodes
            && groups.freeBlocks(group) >= averageBlocks
            && (best < 0 || groups.directories(group) < groups.directories(best))) {
          best = group;
        }
      }
      return best < 0 ? home : best;
    }
    for (int i = 0; i < count; i++) {
      int group = (home + i) % count;
      if (groups.freeInodes(group) > averageInodes / 4
          && groups.freeBlocks(group) > averageBlocks / 4) {
        return group;
      }
    }
    return home;
  }

  private int takeBit(Operation op, int group) throws IOException {
    int reserved = group == 0 ? geometry.firstInode - 1 : 0;
    int bit = -1;
    try (Buffer buffer = cache.read(groups.inodeBitmap(group))) {
      int from = Math.max(reserved >> 3, firstFree[group]);
      for (int at = from; at < (geometry.inodesPerGroup + 7) >> 3 && bit < 0; at++) {
        if ((at & 7) == 0 && at + 8 <= geometry.blockBytes && buffer.getLong(at) == -1) {
          at += 7;
          continue;
        }
        int free = ~buffer.getByte(at) & 0xFF;
        while (free != 0 && bit < 0) {
          int candidate = (at << 3) + Integer.numberOfTrailingZeros(free);
          free &= free - 1;
          bit = candidate >= reserved && candidate < geometry.inodesPerGroup ? candidate : -1;
        }
      }
    }
    if (bit >= 0) {
      firstFree[group] = bit >> 3;
      try (Buffer buffer = op.change(groups.inodeBitmap(group))) {
        buffer.setByte(bit >> 3, buffer.getByte(bit >> 3) | 1 << (bit & 7));
      }
    }
    return bit;
  }

  /// Frees an inode number, which may be reused immediately.
  ///
  /// @throws FsException `EUCLEAN` if the bitmap already marks the inode as free
  void free(Operation op, long inode, boolean directory) throws IOException {
    int group = geometry.groupOfInode(inode);
    int bit = (int) ((inode - 1) % geometry.inodesPerGroup);
    groups.lock.lock();
    try (Buffer buffer = op.change(groups.inodeBitmap(group))) {
      int before = buffer.getByte(bit >> 3);
      if ((before >> (bit & 7) & 1) == 0) {
        throw FsException.corrupt(
            inode, groups.inodeBitmap(group), "the inode is marked free in the bitmap");
      }
      buffer.setByte(bit >> 3, before & ~(1 << (bit & 7)));
      firstFree[group] = Math.min(firstFree[group], bit >> 3);
      groups.countInodes(op, group, 1, directory ? -1 : 0);
    } finally {
      groups.lock.unlock();
    }
    groups.unreserveInode();
  }

  /// Returns true if the bitmap marks the inode as in use.
  boolean inUse(long inode) throws IOException {
    int bit = (int) ((inode - 1) % geometry.inodesPerGroup);
    try (Buffer buffer = cache.read(groups.inodeBitmap(geometry.groupOfInode(inode)))) {
      return (buffer.getByte(bit >> 3) >> (bit & 7) & 1) != 0;
    }
  }

  /// Reserves an inode for an operation.
  ///
  /// @throws FsException `ENOSPC` if there is no free inode
  void reserve(Operation op) throws FsException {
    if (!groups.reserveInode()) {
      throw FsException.of(Errno.ENOSPC, "all inodes are in use");
    }
    op.promiseInode(true);
  }
}
