package sluice.fs.ext2;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import sluice.fs.Caller;
import sluice.fs.FsException;
import sluice.fs.block.Buffer;
import sluice.fs.block.BufferCache;
import sluice.fs.block.Journal;
import sluice.fs.ext2.layout.BlockRuns;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.GroupLayout;
import sluice.sys.Errno;

/// The group descriptors in memory. They contain the locations of the bitmaps and inode tables, the
/// free counts, and the freed blocks that must not be reused until the changes that freed them are
/// durable. A thread must hold [#lock] in order to allocate or free blocks and inodes.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | freeBlocks, freeInodes, directories, waiting | holder of the lock | under it | under it |
/// | available, freeInodesTotal | any | volatile | compareAndSet |
final class GroupDescriptors {
  final ReentrantLock lock = new ReentrantLock();

  private final Geometry geometry;
  private final int[] blockBitmap;
  private final int[] inodeBitmap;
  private final int[] inodeTable;
  private final int[] freeBlocks;
  private final int[] freeInodes;
  private final int[] directories;

  /// For each group, the first block, relative to the start of the group, after which there is only
  /// content.
  private final int[] contentStart;

  /// The number of blocks that are free and have not been reserved by an operation.
  private final AtomicLong available = new AtomicLong();

  private final AtomicLong freeInodesTotal = new AtomicLong();
  private final AtomicLong waitingBlocks = new AtomicLong();

  /// A counter that is incremented when freed blocks become available.
  private final AtomicLong releases = new AtomicLong();

  /// For each group, a bitmap of the blocks that are free but not reusable yet, or null if there
  /// are none.
  private final long[] @Nullable [] busy;

  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

  @SuppressWarnings("ThreadLocalUsage") // a thread may have groups open in two trees
  private final ThreadLocal<Boolean> grouped = ThreadLocal.withInitial(() -> false);

  private @Nullable Journal journal;

  /// The blocks of the journal. Assigned once, before this object is published.
  private BlockRuns journalBlocks = BlockRuns.NONE;

  /// Freed runs that become reusable at a stable point, as pairs of a first block and a count.
  @SuppressWarnings("ArrayRecordComponent") // made once, never compared
  private record Waiting(long point, int[] runs) {}

  GroupDescriptors(Geometry geometry, BufferCache cache) throws IOException {
    this.geometry = geometry;
    int groups = geometry.groups;
    blockBitmap = new int[groups];
    inodeBitmap = new int[groups];
    inodeTable = new int[groups];
    freeBlocks = new int[groups];
    freeInodes = new int[groups];
    directories = new int[groups];
    contentStart = new int[groups];
    busy = new long[groups][];
    for (int first = 0; first < groups; first += geometry.descriptorsPerBlock()) {
      try (Buffer buffer = cache.read(geometry.descriptorBlock(first))) {
        int end = Math.min(groups, first + geometry.descriptorsPerBlock());
        for (int group = first; group < end; group++) {
          load(buffer, group);
        }
      }
    }
  }

  private void load(Buffer buffer, int group) throws FsException {
    int at = geometry.descriptorOffset(group);
    blockBitmap[group] = place(buffer, group, at + GroupLayout.BLOCK_BITMAP, 1);
    inodeBitmap[group] = place(buffer, group, at + GroupLayout.INODE_BITMAP, 1);
    inodeTable[group] =
        place(buffer, group, at + GroupLayout.INODE_TABLE, geometry.inodeTableBlocks());
    freeBlocks[group] = buffer.getShort(at + GroupLayout.FREE_BLOCKS);
    freeInodes[group] = buffer.getShort(at + GroupLayout.FREE_INODES);
    directories[group] = buffer.getShort(at + GroupLayout.USED_DIRECTORIES);
    if (freeBlocks[group] > geometry.groupBlocks(group)
        || freeInodes[group] > geometry.inodesPerGroup
        || directories[group] > geometry.inodesPerGroup) {
      throw FsException.corrupt(
          0, geometry.descriptorBlock(group), "group " + group + ": impossible counts");
    }
    long end = geometry.groupStart(group) + geometry.descriptorBlocks() + 1;
    end = Math.max(end, Math.max(blockBitmap(group), inodeBitmap(group)) + 1);
    end = Math.max(end, inodeTable(group) + geometry.inodeTableBlocks());
    contentStart[group] = (int) (end - geometry.groupStart(group));
    available.addAndGet(freeBlocks[group]);
    freeInodesTotal.addAndGet(freeInodes[group]);
  }

  /// Reads the location of a table. Without `flex_bg`, the tables of a group are located in the
  /// group itself.
  private int place(Buffer buffer, int group, int offset, int blocks) throws FsException {
    long block = buffer.getUnsignedInt(offset);
    long start = geometry.groupStart(group);
    if (block <= geometry.firstDataBlock
        || block < start
        || block + blocks > start + geometry.groupBlocks(group)) {
      throw FsException.corrupt(
          0,
          geometry.descriptorBlock(group),
          "group " + group + ": a table at block " + block + ", outside of the group");
    }
    return (int) block;
  }

  /// Returns the exception that reports that the counts include free blocks or inodes that are not
  /// marked as free in any bitmap. Its message contains the first such group.
  ///
  /// @param what `blocks` or `inodes`
  /// @param free returns the free count of a group
  FsException overCounted(String what, IntUnaryOperator free) {
    int group = 0;
    while (group < geometry.groups - 1 && free.applyAsInt(group) <= 0) {
      group++;
    }
    return FsException.corrupt(
        0,
        geometry.descriptorBlock(group),
        "group " + group + " counts free " + what + " that its bitmap does not have");
  }

  /// Sets the journal, which determines when freed blocks may be reused.
  void journal(Journal used) {
    journal = used;
  }

  /// Sets the blocks of the log and of its block map, which are treated as metadata from now on.
  void protect(BlockRuns log) {
    journalBlocks = log;
  }

  long blockBitmap(int group) {
    return blockBitmap[group] & 0xFFFF_FFFFL;
  }

  long inodeBitmap(int group) {
    return inodeBitmap[group] & 0xFFFF_FFFFL;
  }

  long inodeTable(int group) {
    return inodeTable[group] & 0xFFFF_FFFFL;
  }

  int freeBlocks(int group) {
    return freeBlocks[group];
  }

  int freeInodes(int group) {
    return freeInodes[group];
  }

  int directories(int group) {
    return directories[group];
  }

  /// Returns the number of free blocks, including blocks that are not reusable yet.
  long freeBlocks() {
    lock.lock(); // else a concurrent release could be counted twice
    try {
      return Math.max(0, available.get()) + waitingBlocks.get();
    } finally {
      lock.unlock();
    }
  }

  long freeInodes() {
    return Math.max(0, freeInodesTotal.get());
  }

  /// Returns true if a block is a bitmap, a superblock, a group descriptor, part of an inode table,
  /// or part of the journal.
  boolean isMetadata(long block) {
    return isTable(block) || journalBlocks.contains(block);
  }

  /// Returns true if a block is a bitmap, a superblock, a group descriptor, or part of an inode
  /// table.
  private boolean isTable(long block) {
    int group = geometry.groupOfBlock(block);
    if (block >= geometry.groupStart(group) + contentStart[group]) {
      return false; // skips the slower test for a superblock in this group
    }
    long table = inodeTable(group);
    if (block == blockBitmap(group)
        || block == inodeBitmap(group)
        || (block >= table && block < table + geometry.inodeTableBlocks())) {
      return true;
    }
    return geometry.hasSuperblock(group)
        && block <= geometry.groupStart(group) + geometry.descriptorBlocks();
  }

  /// Returns the first metadata block in a range of a group, or [BlockRuns#NOWHERE] if there is
  /// none.
  long firstMetadata(int group, long from, long to) {
    long content = geometry.groupStart(group) + contentStart[group];
    for (long block = from; block < to && block < content; block++) {
      if (isTable(block)) {
        return block;
      }
    }
    return journalBlocks.firstIn(from, to);
  }

  // ---- reservations -----------------------------------------------------------------------------

  /// Reserves up to `wanted` blocks for an operation. If fewer blocks are available, only those are
  /// reserved.
  ///
  /// @param keep the number of blocks that must remain available
  /// @return the number of blocks that were reserved
  int reserve(int wanted, long keep) {
    while (true) {
      long now = available.get();
      int granted = (int) Math.max(0, Math.min(wanted, now - keep));
      if (granted == 0 || available.compareAndSet(now, now - granted)) {
        return granted;
      }
    }
  }

  /// Reserves blocks on behalf of a caller. Some of the blocks are available only to root, or to
  /// the user or group that is specified in the superblock.
  int reserve(int wanted, Caller caller) {
    boolean entitled =
        caller.uid() == 0
            || caller.uid() == geometry.reservedUid
            || (geometry.reservedGid != 0 && caller.inGroup(geometry.reservedGid));
    return reserve(wanted, entitled ? 0 : geometry.reservedBlocks);
  }

  /// Reserves either all of the wanted blocks for an operation, or none of them.
  ///
  /// @throws FsException `ENOSPC` if there are not enough blocks
  void reserveAll(Operation op, int wanted, Caller caller) throws FsException {
    int granted = reserve(wanted, caller);
    if (granted < wanted) {
      unreserve(granted);
      throw FsException.of(Errno.ENOSPC, wanted + " blocks wanted, " + granted + " available");
    }
    op.promise(wanted);
  }

  void unreserve(int count) {
    if (count > 0) {
      available.addAndGet(count);
    }
  }

  /// Reserves one inode. Returns false if there is no free inode.
  boolean reserveInode() {
    while (true) {
      long now = freeInodesTotal.get();
      if (now <= 0) {
        return false;
      }
      if (freeInodesTotal.compareAndSet(now, now - 1)) {
        return true;
      }
    }
  }

  void unreserveInode() {
    freeInodesTotal.incrementAndGet();
  }

  // ---- under the lock ---------------------------------------------------------------------------

  void countBlocks(Operation op, int group, int freed) throws IOException {
    freeBlocks[group] += freed;
    try (Buffer buffer = op.change(geometry.descriptorBlock(group))) {
      buffer.setShort(
          geometry.descriptorOffset(group) + GroupLayout.FREE_BLOCKS, freeBlocks[group]);
    }
  }

  void countInodes(Operation op, int group, int freed, int directoriesAdded) throws IOException {
    freeInodes[group] += freed;
    directories[group] += directoriesAdded;
    int at = geometry.descriptorOffset(group);
    try (Buffer buffer = op.change(geometry.descriptorBlock(group))) {
      buffer.setShort(at + GroupLayout.FREE_INODES, freeInodes[group]);
      buffer.setShort(at + GroupLayout.USED_DIRECTORIES, Math.max(0, directories[group]));
    }
  }

  /// Returns the bitmap of the blocks of a group that are free but not reusable yet, or null if
  /// there are none.
  long @Nullable [] busy(int group) {
    return busy[group];
  }

  /// Marks a freed run as not reusable until the change that freed it is durable.
  void setBusy(int group, int bit, int count) {
    if (journal == null || !journal.atomic()) {
      return;
    }
    long[] bits = busy[group];
    if (bits == null) {
      bits = new long[geometry.blockBytes / 8];
      busy[group] = bits;
    }
    for (int i = bit; i < bit + count; i++) {
      bits[i >> 6] |= 1L << i;
    }
    waitingBlocks.addAndGet(count);
  }

  // ---- freed blocks -----------------------------------------------------------------------------

  /// Begins a group. All operations of this thread belong to one transaction until [#endGroup] is
  /// called.
  void beginGroup() {
    grouped.set(true);
  }

  void endGroup() {
    grouped.remove();
  }

  boolean inGroup() {
    return grouped.get();
  }

  /// Records the runs that were freed by an operation. Must be called before the transaction of the
  /// operation is closed, so that a thread that waits for the transaction finds them.
  void freedBlocks(int[] runs) {
    Journal used = journal;
    if (used == null || !used.atomic()) {
      makeAvailable(blocksOf(runs));
      return;
    }
    lock.lock();
    try {
      waiting.add(new Waiting(used.point(), runs));
      release(used);
    } finally {
      lock.unlock();
    }
  }

  private static int blocksOf(int[] runs) {
    int blocks = 0;
    for (int i = 1; i < runs.length; i += 2) {
      blocks += runs[i];
    }
    return blocks;
  }

  /// Makes all freed blocks available whose stable point has been reached.
  void releaseStable() {
    Journal used = journal;
    if (used != null && waitingBlocks.get() > 0) {
      lock.lock();
      try {
        release(used);
      } finally {
        lock.unlock();
      }
    }
  }

  /// Returns the number of times that freed blocks became available. See
  /// [sluice.fs.FileTree#spaceFreed].
  long releases() {
    return releases.get();
  }

  /// Waits for freed blocks to become available. See [sluice.fs.FileTree#awaitSpace]. The caller
  /// must not have an open operation.
  boolean awaitBlocks(long seen) throws IOException {
    Journal used = journal;
    if (used == null || inGroup()) {
      return false;
    }
    if (releases.get() != seen) {
      return true;
    }
    if (waitingBlocks.get() == 0) {
      // a release increments the counter before it reduces waitingBlocks
      return releases.get() != seen;
    }
    used.await(used.point());
    releaseStable();
    return true;
  }

  private void release(Journal used) {
    while (!waiting.isEmpty() && used.stable(waiting.getFirst().point())) {
      int[] runs = waiting.removeFirst().runs();
      for (int i = 0; i < runs.length; i += 2) {
        clearBusy(runs[i] & 0xFFFF_FFFFL, runs[i + 1]);
      }
      int blocks = blocksOf(runs);
      makeAvailable(blocks);
      waitingBlocks.addAndGet(-blocks);
    }
  }

  private void makeAvailable(int blocks) {
    available.addAndGet(blocks);
    releases.incrementAndGet();
  }

  private void clearBusy(long block, int count) {
    int group = geometry.groupOfBlock(block);
    long[] bits = busy[group];
    int bit = (int) (block - geometry.groupStart(group));
    for (int i = bit; bits != null && i < bit + count; i++) {
      bits[i >> 6] &= ~(1L << i);
    }
  }
}
