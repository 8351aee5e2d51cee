package sluice.fs.ext2;

import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileKind;
import sluice.fs.FsException;
import sluice.fs.ext2.layout.Geometry;

/// The facts that a check collects about each inode in use: its kind, its link count, the number of
/// names found and its parent. Confined to the checking thread.
///
/// The memory needed depends on the inodes in use, not on the superblock's counts: 12 bytes per
/// inode, allocated for 64 neighbours when the first of them is in use, and 8 bytes per 64 inodes
/// of a group that has any. That is at most a fifth of the size of the inodes on the device. Sparse
/// inode tables cost nothing.
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

  /// Records an inode that is in use.
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

  /// Returns the file type bits of an inode's mode, shifted right by 12; 0 if it is not in use.
  int kind(long inode) {
    return get(inode, 0) >>> KIND_SHIFT;
  }

  boolean isDirectory(long inode) {
    return kind(inode) == FileKind.DIRECTORY.modeBits() >>> MODE_SHIFT;
  }

  /// Converts the result of [#kind] to a file kind.
  static FileKind named(int kind) {
    return FileKind.ofMode(kind << MODE_SHIFT);
  }

  /// Returns true if the kind stored in a directory entry is the kind of its inode.
  static boolean isKind(int kind, FileKind said) {
    return kind == said.modeBits() >>> MODE_SHIFT;
  }

  int links(long inode) {
    return get(inode, 0) & 0xFFFF;
  }

  /// Increments the number of names of an inode. Has no effect on an inode that is not in use.
  void addName(long inode) {
    set(inode, NAMES, names(inode) + 1);
  }

  int names(long inode) {
    return get(inode, NAMES);
  }

  /// Returns the directory in which a directory was found, or 0 if it was not found.
  int parent(long inode) {
    return get(inode, PARENT);
  }

  void setParent(long inode, long parent) {
    set(inode, PARENT, (int) parent);
  }

  /// Returns the number of directories in a group.
  int directories(int number) {
    Group group = groups[number];
    return group == null ? 0 : group.directories;
  }

  /// Passes each inode in use to a consumer, in ascending order.
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
