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

/// One change of the file system: a [Transaction] that knows how many blocks it may still change,
/// and what it has freed. Of the thread that began it.
///
/// Everything that can be refused is refused before the first block is changed. A thread that
/// closes an operation that has changed something without [#done] leaves a half-made change: the
/// volume takes no more changes then.
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

  /// Blocks and inodes that are promised to it and not taken yet.
  private int promisedBlocks;

  private boolean promisedInode;
  private boolean begun;
  private boolean done;

  Operation(Volume volume, Transaction transaction, int credits) {
    this.volume = volume;
    this.transaction = transaction;
    this.credits = credits;
  }

  /// Metadata blocks that may still be changed.
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

  /// As [#change]: see [Transaction#changeLast].
  Buffer changeLast(long block) throws IOException {
    Buffer buffer = transaction.changeLast(block);
    count(block);
    return buffer;
  }

  /// As [#create]: see [Transaction#createFirst].
  Buffer createFirst(long block) throws IOException {
    Buffer buffer = transaction.createFirst(block);
    count(block);
    return buffer;
  }

  /// Content, which is metadata when the file's data are journaled.
  Buffer content(Inode inode, long block, boolean fresh) throws IOException {
    if ((inode.flags & InodeLayout.FLAG_JOURNAL_DATA) != 0) {
      return fresh ? create(block) : change(block);
    }
    return transaction.data(block, fresh);
  }

  /// Replaces blocks of content that follow each other: see [Transaction#overwrite].
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

  /// A metadata block, or one of journaled content, has no owner any more.
  void forget(long block) throws IOException {
    begun = true;
    transaction.forget(block);
  }

  /// Blocks of content that follow each other have no owner any more.
  void forgetContent(Inode inode, long block, int count) throws IOException {
    begun = true;
    // Directories and links are metadata: what the log holds of them must not come back.
    if ((inode.flags & InodeLayout.FLAG_JOURNAL_DATA) == 0 && inode.isRegular()) {
      transaction.forgetData(block, count);
      return;
    }
    for (int i = 0; i < count; i++) {
      transaction.forget(block + i);
    }
  }

  /// Notes a run of blocks that may be allocated again only when this operation is stable.
  void freed(long block, int count) {
    if (freedCount + 2 > freedRuns.length) {
      freedRuns = Arrays.copyOf(freedRuns, Math.max(8, 2 * freedRuns.length));
    }
    freedRuns[freedCount++] = (int) block;
    freedRuns[freedCount++] = count;
  }

  /// Blocks were promised to it, or taken: what it does not take is free again at its end.
  void promise(int blocks) {
    promisedBlocks += blocks;
  }

  void promiseInode(boolean promised) {
    promisedInode = promised;
  }

  /// An inode in memory is ahead of its block: from now on the change must be finished.
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

  /// Says that the change is whole.
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

  /// Tells the next check of the image.
  private void markError() {
    Geometry g = volume.geometry;
    try (Buffer superblock = transaction.change(g.superblockBlock())) {
      int state = g.superblockOffset() + SuperblockLayout.STATE;
      superblock.setShort(state, superblock.getShort(state) | SuperblockLayout.STATE_ERROR);
    } catch (IOException e) {
      volume.fail(Errno.name(Errno.EIO) + " while the error was noted: " + e.getMessage());
    }
  }
}
