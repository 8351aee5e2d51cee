package sluice.fs.block;

import java.io.IOException;
import sluice.fs.FileTree;
import sluice.memory.Memory;

/// The order in which changed blocks reach the device. Safe for use by any thread.
///
/// There are two implementations. The first keeps a log: after a crash, a [Transaction] is on the
/// device either completely or not at all (JBD2, ordered mode: file data reaches the device before
/// the metadata that leads to it). The second guarantees nothing until [#sync], as ext2 does.
public interface Journal extends AutoCloseable {
  /// Begins a transaction, or joins the open transaction of this thread. Waits while the journal
  /// has no room for the blocks.
  ///
  /// @param metadataBlocks the maximum number of blocks it changes other than by [Transaction#data]
  /// @throws sluice.fs.FsException `EROFS` after the journal has failed, `E2BIG` if the thread's
  ///   transaction is too large already; nothing has changed then
  Transaction begin(int metadataBlocks) throws IOException;

  /// Overwrites a range of contiguous content blocks in the cache, outside of a transaction, if
  /// nothing except these bytes must change. Never waits. The caller holds the lock of the file, so
  /// that it keeps the blocks, and has no buffer of them open.
  ///
  /// @param offset the offset in the first block
  /// @return the number of bytes written; if 0, the caller uses [Transaction#data]
  default int tryOverwrite(long block, int offset, Memory from, long at, int bytes) {
    return 0;
  }

  /// Returns true if a transaction is atomic with respect to a crash.
  boolean atomic();

  /// Returns true if a block may be allocated: it was not freed by a transaction that is not stable
  /// yet. An allocator that finds no such block calls [#sync], outside of its transaction, and
  /// tries again.
  default boolean reusable(long block) {
    return true;
  }

  /// Returns true if the journal has ended because a write failed: no more transactions begin.
  default boolean failed() {
    return false;
  }

  /// Returns a point in the order of changes. It is behind every transaction closed so far.
  long point();

  /// Returns true if everything before a point is stable. Never waits and starts nothing.
  default boolean stable(long point) {
    return !atomic();
  }

  /// Waits until everything before a point is stable. Starts a commit if necessary.
  void await(long point) throws IOException;

  /// Calls `then` when everything before a point is stable. Starts a commit if necessary.
  void whenStable(long point, FileTree.StableListener then);

  /// Makes everything stable.
  void sync() throws IOException;

  /// Makes everything stable and writes every block to its place, so that a program without support
  /// for the log finds the current state.
  default void settle() throws IOException {
    sync();
  }

  /// Makes everything stable and leaves a log that needs no replay. The cache stays open.
  @Override
  void close() throws IOException;
}
