package sluice.fs.ext2;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.SuperblockLayout;

/// Manages files that have no name but still occupy space. These are files that are retained, and
/// files whose blocks are freed in more than one operation. They are linked in a list on the device
/// that is processed by the next mount, so that no space is lost after a crash. This class is
/// thread-safe.
///
/// The list begins in the superblock and continues in the deletion time fields of the inodes,
/// ordered from newest to oldest.
final class Orphans {
  /// The number of metadata blocks that are changed when an inode is added or removed, which are
  /// the superblock and the inode or its neighbor.
  static final int CREDITS = 3;

  /// The number of metadata blocks that a single operation may change while it frees a large file.
  private static final int FREE_CREDITS = 64;

  private final Volume volume;
  private final InodeTable table;
  private final InodeCache inodes;
  private final BlockMap map;
  private final InodeAllocator allocator;
  private final ExtendedAttributes attributes;
  private final ReentrantLock lock = new ReentrantLock();

  /// The neighbors of an inode in the list, or 0 at the ends.
  private static final class Links {
    long newer;
    long older;
  }

  /// The files that were dropped within the current group of the thread.
  @SuppressWarnings("ThreadLocalUsage") // a thread may have groups open in two trees
  private final ThreadLocal<@Nullable List<Inode>> deferred = new ThreadLocal<>();

  private final Map<Long, Links> list = new HashMap<>();
  private long newest;

  Orphans(
      Volume volume,
      InodeTable table,
      InodeCache inodes,
      BlockMap map,
      InodeAllocator allocator,
      ExtendedAttributes attributes) {
    this.volume = volume;
    this.table = table;
    this.inodes = inodes;
    this.map = map;
    this.allocator = allocator;
    this.attributes = attributes;
  }

  /// Adds a file to the list. The caller must hold its write lock. Has no effect if the file is
  /// already in the list.
  void add(Operation op, Inode inode) throws IOException {
    lock.lock();
    try {
      if (list.containsKey(inode.number)) {
        return;
      }
      Links links = new Links();
      links.older = newest;
      Links before = list.get(newest);
      if (before != null) {
        before.newer = inode.number;
      }
      table.setDeleteTime(op, inode.number, (int) newest);
      volume.setSuperblock(op, SuperblockLayout.LAST_ORPHAN, (int) inode.number);
      list.put(inode.number, links);
      newest = inode.number;
    } finally {
      lock.unlock();
    }
  }

  private void remove(Operation op, Inode inode) throws IOException {
    lock.lock();
    try {
      Links links = list.remove(inode.number);
      if (links == null) {
        return;
      }
      Links older = list.get(links.older);
      if (older != null) {
        older.newer = links.newer;
      }
      Links newer = list.get(links.newer);
      if (newer != null) {
        newer.older = links.older;
        table.setDeleteTime(op, links.newer, (int) links.older);
      } else {
        newest = links.older;
        volume.setSuperblock(op, SuperblockLayout.LAST_ORPHAN, (int) links.older);
      }
    } finally {
      lock.unlock();
    }
  }

  /// Handles a file that has lost its last name. The caller must hold its write lock. The file is
  /// freed if the operation can change enough blocks, and otherwise is added to the list.
  ///
  /// @return true if the file was freed; otherwise, the caller must call [#finish] without holding
  ///   any lock or operation
  boolean drop(Operation op, Inode inode) throws IOException {
    if (inode.retains == 0 && empty(op, inode)) {
      freeNumber(op, inode);
      return true;
    }
    table.store(op, inode);
    add(op, inode);
    return false;
  }

  /// Frees the content of a file that is not retained. The caller must hold its write lock.
  ///
  /// @return false if the operation could not free all of the content
  private boolean empty(Operation op, Inode inode) throws IOException {
    boolean mapped = inode.hasBlockMap(volume.geometry.blockBytes);
    long end = volume.geometry.maxFileBlocks();
    if (mapped && map.free(op, inode, 0, end) > 0) {
      inode.changed();
      return false;
    }
    attributes.dropBlock(op, inode);
    inode.size = inode.isSymlink() ? inode.size : 0;
    inode.changed();
    table.store(op, inode);
    return true;
  }

  /// Frees the number of an empty file that is not in the list. The number may be reused
  /// immediately.
  private void freeNumber(Operation op, Inode inode) throws IOException {
    // The deletion time is set after the list has been updated because a neighbor that is removed
    // from the list would overwrite it.
    table.setDeleteTime(op, inode.number, (int) (Volume.now() / 1_000_000_000L));
    // The inode is not removed before this point. A thread that reads the inode again must see that
    // it has no name. Otherwise this object could coexist with the object of the next file.
    inodes.remove(inode);
    allocator.free(op, inode.number, inode.isDirectory());
  }

  /// Continues to free a file after [#drop] has returned false. If the thread has an open group,
  /// this is deferred until the end of the group in order to keep the group small. The caller must
  /// not hold any lock or operation.
  void finish(Inode inode) throws IOException {
    if (volume.groups.inGroup()) {
      List<Inode> later = deferred.get();
      if (later == null) {
        later = new ArrayList<>();
        deferred.set(later);
      }
      later.add(inode);
      return;
    }
    freeBlocks(inode);
  }

  /// Frees the files that were dropped within the thread's group. Must be called after the group
  /// has ended.
  void finishDeferred() throws IOException {
    List<Inode> all = deferred.get();
    if (all == null) {
      return;
    }
    deferred.remove();
    for (Inode inode : all) {
      freeBlocks(inode);
    }
  }

  private void freeBlocks(Inode inode) throws IOException {
    boolean whole = false;
    while (!whole) {
      try (Operation op = volume.begin(FREE_CREDITS)) {
        inode.lock.writeLock();
        try {
          if (inode.gone || inode.isAlive()) {
            return;
          }
          whole = empty(op, inode);
          if (whole) {
            remove(op, inode);
            freeNumber(op, inode);
          } else {
            table.store(op, inode);
          }
          op.done();
        } finally {
          inode.unlock();
        }
      }
    }
  }

  /// Processes the list that was left by a crash. This requires a constant amount of memory
  /// regardless of the length of the list. The list is traversed to its end before the first change
  /// is made, and then again from its newest inode.
  ///
  /// @throws FsException `EUCLEAN` if the list is inconsistent
  void recover(int first) throws IOException {
    requireEnd(first & 0xFFFF_FFFFL);
    long number = first & 0xFFFF_FFFFL;
    while (number != 0) {
      Inode inode = load(number);
      Links links = new Links();
      links.older = inode.nextOrphan & 0xFFFF_FFFFL;
      list.put(number, links);
      newest = number;
      number = links.older;
      if (inode.links > 0) {
        finishTruncate(inode);
      } else {
        inodes.add(inode);
        finish(inode);
      }
    }
  }

  /// Frees all files that have no name at the end of a mount, including retained files, because no
  /// handle outlives the mount. No other call may be in progress.
  void finishAll() throws IOException {
    for (long number = newest(); number != 0; number = newest()) {
      Inode known = inodes.find(number);
      Inode inode = known == null ? table.loadAny(number) : known;
      if (inode.links > 0) {
        finishTruncate(inode);
      } else {
        inode.lock.writeLock();
        inode.retains = 0;
        inode.unlock();
        freeBlocks(inode);
      }
      if (newest() == number) {
        throw FsException.corrupt(number, -1, "it cannot be taken from the list of orphans");
      }
    }
  }

  private long newest() {
    lock.lock();
    try {
      return newest;
    } finally {
      lock.unlock();
    }
  }

  private Inode load(long number) throws IOException {
    boolean possible = number >= volume.geometry.firstInode && number <= volume.geometry.inodes;
    if (!possible || !allocator.inUse(number)) {
      throw leadsTo(number);
    }
    return table.loadAny(number);
  }

  private static FsException leadsTo(long number) {
    return FsException.corrupt(number, -1, "the list of orphans leads to it");
  }

  /// Rejects a cyclic list using Brent's algorithm, which compares each inode with an inode that
  /// was visited earlier, and replaces the latter whenever the number of steps reaches a power of
  /// two.
  private void requireEnd(long first) throws IOException {
    long mark = 0;
    long steps = 0;
    long next = 1;
    for (long number = first; number != 0; steps++) {
      if (number == mark) {
        throw leadsTo(number);
      }
      if (steps == next) {
        mark = number;
        next *= 2;
      }
      number = load(number).nextOrphan & 0xFFFF_FFFFL;
    }
  }

  /// Completes the truncation of a file that is in the list and still has a name.
  private void finishTruncate(Inode inode) throws IOException {
    Geometry g = volume.geometry;
    long from = (inode.size + g.blockBytes - 1) >> g.blockShift;
    long end = g.maxFileBlocks();
    boolean whole = false;
    while (!whole) {
      try (Operation op = volume.begin(FREE_CREDITS)) {
        whole = map.free(op, inode, from, end) == from;
        table.store(op, inode);
        if (whole) {
          remove(op, inode);
          table.setDeleteTime(op, inode.number, 0);
        }
        op.done();
      }
    }
  }
}
