package sluice.fs.ext2;

import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileKind;
import sluice.fs.FsException;
import sluice.fs.ext2.layout.Geometry;

/// What a check knows of each inode in use: its kind, its count of links, the names that lead to it
/// and its parent. Of the thread that checks.
///
/// Memory follows what is in use, not what the superblock counts: 12 bytes for an inode, for 64
/// neighbours as soon as one of them is in use, and 8 bytes for each 64 inodes of a group that has
/// one. Of a file system that is in use this is at most a fifth of what its inodes take on the
/// device, and no hole there costs anything.
///
/// ```
/// groups[group] → pages[inode >> 6] → | kind << 16 & links | names | parent | × 64
/// ```
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

  /// @throws FsException `ENOMEM`
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

  /// Notes an inode that is in use.
  ///
  /// @throws FsException `ENOMEM`
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

  /// The bits of an inode's mode that say its kind, shifted down; 0 when it is not in use.
  int kind(long inode) {
    return get(inode, 0) >>> KIND_SHIFT;
  }

  boolean isDirectory(long inode) {
    return kind(inode) == FileKind.DIRECTORY.modeBits() >>> MODE_SHIFT;
  }

  /// What a kind is called.
  static FileKind named(int kind) {
    return FileKind.ofMode(kind << MODE_SHIFT);
  }

  /// Whether an entry says the kind that its inode is.
  static boolean isKind(int kind, FileKind said) {
    return kind == said.modeBits() >>> MODE_SHIFT;
  }

  int links(long inode) {
    return get(inode, 0) & 0xFFFF;
  }

  /// One more name leads to an inode; those that are not in use are not counted.
  void addName(long inode) {
    set(inode, NAMES, names(inode) + 1);
  }

  int names(long inode) {
    return get(inode, NAMES);
  }

  /// The directory in which a directory was found, 0 when it was not.
  int parent(long inode) {
    return get(inode, PARENT);
  }

  void setParent(long inode, long parent) {
    set(inode, PARENT, (int) parent);
  }

  /// Directories in a group.
  int directories(int number) {
    Group group = groups[number];
    return group == null ? 0 : group.directories;
  }

  /// Gives each inode in use, in their order.
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
