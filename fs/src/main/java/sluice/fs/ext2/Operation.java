package sluice.fs.ext2;

import java.io.IOException;
import java.util.Arrays;
import sluice.fs.FsException;
import sluice.fs.block.Buffer;
import sluice.fs.block.Transaction;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.fs.ext2.layout.SuperblockLayout;
import sluice.memory.Memory;
import sluice.sys.Errno;

/// A change to the file system. It is a [Transaction] that also counts the metadata blocks that it
/// may still change, and collects the blocks that it frees. Instances are confined to the thread
/// that began the operation.
///
/// All errors that can be caused by a caller are reported before the first block is changed. If an
/// operation that has changed something is closed without [#done] having been called, the change is
/// incomplete, and the volume rejects all further changes.
final class Operation implements AutoCloseable {
  private static final int[] NO_RUNS = {};
  private static final long[] NO_BLOCKS = {};

  private final Volume volume;
  private final Transaction transaction;
  private final int credits;
  private long[] changed = NO_BLOCKS;
  private int changedCount;
  private long lastChanged = -1;
  private int[] freedRuns = NO_RUNS;
  private int freedCount;

  /// The number of blocks that are reserved for this operation and have not been allocated yet.
  private int promisedBlocks;

  private boolean promisedInode;
  private boolean begun;
  private boolean done;

  Operation(Volume volume, Transaction transaction, int credits) {
    this.volume = volume;
    this.transaction = transaction;
    this.credits = credits;
  }

  /// Returns the number of metadata blocks that this operation may still change.
  int room() {
    return credits - changedCount;
  }

  Buffer change(long block) throws IOException {
    Buffer buffer = transaction.change(block);
    count(block);
    return buffer;
  }

  Buffer create(long block) throws IOException {
    Buffer buffer = transaction.create(block);
    count(block);
    return buffer;
  }

  /// Returns a block to be modified. See [Transaction#changeLast].
  Buffer changeLast(long block) throws IOException {
    Buffer buffer = transaction.changeLast(block);
    count(block);
    return buffer;
  }

  /// Returns a new block. See [Transaction#createFirst].
  Buffer createFirst(long block) throws IOException {
    Buffer buffer = transaction.createFirst(block);
    count(block);
    return buffer;
  }

  /// Returns a block of content to be modified. Journaled content is counted as metadata.
  Buffer content(Inode inode, long block, boolean fresh) throws IOException {
    if ((inode.flags & InodeLayout.FLAG_JOURNAL_DATA) != 0) {
      return fresh ? create(block) : change(block);
    }
    return transaction.data(block, fresh);
  }

  /// Overwrites contiguous blocks of content. See [Transaction#overwrite].
  void overwrite(Inode inode, long block, int count, Memory from, long at) throws IOException {
    if ((inode.flags & InodeLayout.FLAG_JOURNAL_DATA) == 0) {
      transaction.overwrite(block, count, from, at);
      return;
    }
    for (int i = 0; i < count; i++) {
      try (Buffer buffer = create(block + i)) {
        int bytes = buffer.lengthBytes();
        from.copyTo(at + (long) i * bytes, buffer.block(), 0, bytes);
      }
    }
  }

  /// Drops the cached copy of a metadata block, or of a block of journaled content, that is about
  /// to be freed.
  void forget(long block) throws IOException {
    begun = true;
    transaction.forget(block);
  }

  /// Drops the cached copies of contiguous blocks of content that are about to be freed.
  void forgetContent(Inode inode, long block, int count) throws IOException {
    begun = true;
    // Directories and links are metadata, so the log must not restore their old content.
    if ((inode.flags & InodeLayout.FLAG_JOURNAL_DATA) == 0 && inode.isRegular()) {
      transaction.forgetData(block, count);
      return;
    }
    for (int i = 0; i < count; i++) {
      transaction.forget(block + i);
    }
  }

  /// Records a run of freed blocks, which may be reused only after this operation has become
  /// durable.
  void freed(long block, int count) {
    if (freedCount + 2 > freedRuns.length) {
      freedRuns = Arrays.copyOf(freedRuns, Math.max(8, 2 * freedRuns.length));
    }
    freedRuns[freedCount++] = (int) block;
    freedRuns[freedCount++] = count;
  }

  /// Adds to the number of reserved blocks. The argument is negative when blocks are allocated.
  /// Blocks that are still reserved when the operation is closed are released.
  void promise(int blocks) {
    promisedBlocks += blocks;
  }

  void promiseInode(boolean promised) {
    promisedInode = promised;
  }

  /// Marks the operation as begun. From now on it must be completed because an inode in memory has
  /// changed.
  void begin() {
    begun = true;
  }

  private void count(long block) {
    begun = true;
    if (block == lastChanged) {
      return;
    }
    for (int i = 0; i < changedCount; i++) {
      if (changed[i] == block) {
        lastChanged = block;
        return;
      }
    }
    if (changedCount == changed.length) {
      changed = Arrays.copyOf(changed, Math.max(8, 2 * changedCount));
    }
    changed[changedCount++] = block;
    lastChanged = block;
    assert changedCount <= credits : "an operation changed more than " + credits + " blocks";
  }

  /// Marks the change as complete.
  void done() {
    done = true;
  }

  @Override
  public void close() {
    if (!done && begun) {
      String what = "an error came after " + changedCount + " blocks were changed";
      volume.fail(what);
      if (volume.journal.atomic()) {
        transaction.abort(FsException.of(Errno.EIO, what));
      } else {
        markError();
      }
    }
    if (freedCount > 0) {
      volume.groups.freedBlocks(Arrays.copyOf(freedRuns, freedCount));
    }
    transaction.close();
    if (promisedBlocks > 0) {
      volume.groups.unreserve(promisedBlocks);
    }
    if (promisedInode) {
      volume.groups.unreserveInode();
    }
  }

  /// Sets the error state in the superblock, so that the image is checked before its next use.
  private void markError() {
    Geometry g = volume.geometry;
    try (Buffer superblock = transaction.change(g.superblockBlock())) {
      int state = g.superblockOffset() + SuperblockLayout.STATE;
      superblock.setShort(state, superblock.getShort(state) | SuperblockLayout.STATE_ERROR);
    } catch (IOException e) {
      volume.fail(Errno.name(Errno.EIO) + " while the error was recorded: " + e.getMessage());
    }
  }
}
