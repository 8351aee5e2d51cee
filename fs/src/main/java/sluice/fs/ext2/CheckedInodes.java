package sluice.fs.ext2;

import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileKind;
import sluice.fs.FsException;
import sluice.fs.ext2.layout.Geometry;

/// The information that a check collects about each inode that is in use: its kind, its link count,
/// the number of names that were found, and its parent. Instances are confined to the checking
/// thread.
///
/// The required memory depends on the number of inodes in use and not on the counts in the
/// superblock. Each inode requires 12 bytes, which are allocated for 64 neighboring inodes when the
/// first of them is added, and each group with at least one inode in use requires 8 bytes per 64
/// inodes. This is at most a fifth of the size of the inodes on the device, and sparse inode tables
/// require no memory.
final class CheckedInodes {
  private static final int SHIFT = 6;
  private static final int PAGE = 1 << SHIFT;
  private static final int INTS = 3;
  private static final int NAMES = 1;
  private static final int PARENT = 2;
  private static final int KIND_SHIFT = 16;
  private static final int MODE_SHIFT = 12;
  private static final long PAGE_BYTES = 16 + 4L * INTS * PAGE;

  private final Geometry geometry;
  private final CheckBudget budget;
  private final @Nullable Group[] groups;

  private static final class Group {
    final int[] @Nullable [] pages;
    int directories;

    Group(int count) {
      pages = new int[count][];
    }
  }

  /// Creates an empty table.
  ///
  /// @throws FsException `ENOMEM` if the budget is exhausted
  CheckedInodes(Geometry geometry, CheckBudget budget) throws FsException {
    this.geometry = geometry;
    this.budget = budget;
    budget.charge(8L * geometry.groups);
    groups = new @Nullable Group[geometry.groups];
  }

  private int index(long inode) {
    return (int) ((inode - 1) % geometry.inodesPerGroup);
  }

  private int @Nullable [] page(long inode) {
    Group group = groups[geometry.groupOfInode(inode)];
    return group == null ? null : group.pages[index(inode) >> SHIFT];
  }

  private int get(long inode, int field) {
    int[] page = page(inode);
    return page == null ? 0 : page[(index(inode) & (PAGE - 1)) * INTS + field];
  }

  private void set(long inode, int field, int value) {
    int[] page = page(inode);
    if (page != null) {
      page[(index(inode) & (PAGE - 1)) * INTS + field] = value;
    }
  }

  /// Adds an inode that is in use.
  ///
  /// @throws FsException `ENOMEM` if the budget is exhausted
  void add(long inode, int mode, int links) throws FsException {
    int number = geometry.groupOfInode(inode);
    Group group = groups[number];
    if (group == null) {
      int pages = (geometry.inodesPerGroup + PAGE - 1) >> SHIFT;
      budget.charge(32 + 8L * pages);
      group = new Group(pages);
      groups[number] = group;
    }
    int page = index(inode) >> SHIFT;
    if (group.pages[page] == null) {
      budget.charge(PAGE_BYTES);
      group.pages[page] = new int[INTS * PAGE];
    }
    set(inode, 0, mode >>> MODE_SHIFT << KIND_SHIFT | links);
    group.directories += isDirectory(inode) ? 1 : 0;
  }

  /// Returns the file type bits of the mode of an inode, shifted right by 12, or 0 if the inode is
  /// not in use.
  int kind(long inode) {
    return get(inode, 0) >>> KIND_SHIFT;
  }

  boolean isDirectory(long inode) {
    return kind(inode) == FileKind.DIRECTORY.modeBits() >>> MODE_SHIFT;
  }

  /// Converts a result of [#kind] to a file kind.
  static FileKind named(int kind) {
    return FileKind.ofMode(kind << MODE_SHIFT);
  }

  /// Returns true if the kind that is stored in a directory entry matches the kind of its inode.
  static boolean isKind(int kind, FileKind said) {
    return kind == said.modeBits() >>> MODE_SHIFT;
  }

  int links(long inode) {
    return get(inode, 0) & 0xFFFF;
  }

  /// Increments the number of names that were found for an inode. Has no effect if the inode is not
  /// in use.
  void addName(long inode) {
    set(inode, NAMES, names(inode) + 1);
  }

  int names(long inode) {
    return get(inode, NAMES);
  }

  /// Returns the directory that contains the given directory, or 0 if it was not found in any
  /// directory.
  int parent(long inode) {
    return get(inode, PARENT);
  }

  void setParent(long inode, long parent) {
    set(inode, PARENT, (int) parent);
  }

  /// Returns the number of directories in the given group.
  int directories(int number) {
    Group group = groups[number];
    return group == null ? 0 : group.directories;
  }

  /// Passes each inode that is in use to a consumer, in ascending order.
  void forEach(IntConsumer sink) {
    for (int number = 0; number < groups.length; number++) {
      Group group = groups[number];
      for (int page = 0; group != null && page < group.pages.length; page++) {
        int first = number * geometry.inodesPerGroup + (page << SHIFT) + 1;
        int[] there = group.pages[page];
        for (int i = 0; there != null && i < PAGE; i++) {
          if (there[i * INTS] != 0) {
            sink.accept(first + i);
          }
        }
      }
    }
  }
}
