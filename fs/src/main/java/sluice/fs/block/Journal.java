package sluice.fs.block;

import java.io.IOException;
import sluice.fs.FileTree;
import sluice.memory.Memory;

/// Determines the order in which changed blocks reach the device. Implementations are thread-safe.
///
/// There are two implementations. The first one writes a log, so that after a crash a [Transaction]
/// is on the device either completely or not at all (JBD2 in ordered mode, in which file data
/// reaches the device before the metadata that refers to it). The second one gives no guarantee
/// before [#sync] has returned, like ext2.
public interface Journal extends AutoCloseable {
  /// Begins a transaction, or joins the open transaction of the current thread. Waits until the
  /// journal has enough room for the blocks.
  ///
  /// @param metadataBlocks the maximum number of blocks that are changed by methods other than
  ///   [Transaction#data]
  /// @throws sluice.fs.FsException `EROFS` if the journal has failed, or `E2BIG` if the transaction
  ///   of the thread is already too large; in both cases nothing is changed
  Transaction begin(int metadataBlocks) throws IOException;

  /// Overwrites a range of contiguous content blocks in the cache without a transaction, if nothing
  /// except these bytes needs to be changed. This method never blocks. The caller must hold the
  /// lock of the file, so that the blocks remain allocated to it, and must not have an open buffer
  /// of any of them.
  ///
  /// @param offset the offset in the first block
  /// @return the number of bytes written; if it is 0, the caller must use [Transaction#data]
  default int tryOverwrite(long block, int offset, Memory from, long at, int bytes) {
    return 0;
  }

  /// Returns true if transactions are atomic even if the system crashes.
  boolean atomic();

  /// Returns true if a block may be allocated, which is not the case if it was freed by a
  /// transaction that is not durable yet. If an allocator finds no such block, it must call [#sync]
  /// outside of its transaction and try again.
  default boolean reusable(long block) {
    return true;
  }

  /// Returns true if the journal has ended because a write failed, after which no new transactions
  /// can begin.
  default boolean failed() {
    return false;
  }

  /// Returns the current point in the order of changes, which follows every transaction that has
  /// been closed.
  long point();

  /// Returns true if all changes before the given point are durable. This method never blocks and
  /// does not start a commit.
  default boolean stable(long point) {
    return !atomic();
  }

  /// Waits until all changes before the given point are durable. Starts a commit if necessary.
  void await(long point) throws IOException;

  /// Notifies the listener when all changes before the given point are durable. Starts a commit if
  /// necessary.
  void whenStable(long point, FileTree.StableListener then);

  /// Makes all changes durable.
  void sync() throws IOException;

  /// Makes all changes durable and writes every block to its final location, so that programs that
  /// do not support the log see the current state.
  default void settle() throws IOException {
    sync();
  }

  /// Makes all changes durable and leaves a log that does not have to be replayed. The cache
  /// remains open.
  @Override
  void close() throws IOException;
}
