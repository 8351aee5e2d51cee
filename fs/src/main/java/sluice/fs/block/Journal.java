package sluice.fs.block;

import java.io.IOException;
import sluice.fs.FileTree;
import sluice.memory.Memory;

/// The order in which changed blocks reach the device. Any thread may call.
///
/// There are two: the first keeps a log, so that what is done in one [Transaction] is on the device
/// as a whole or not at all after a crash (JBD2, ordered mode: file data is on the device before
/// the metadata that leads to it), and the second promises nothing until [#sync], as ext2 does.
public interface Journal extends AutoCloseable {
  /// Opens a transaction, or joins that which this thread has open. Waits while the journal has no
  /// room for so many more blocks.
  ///
  /// @param metadataBlocks most blocks it will change other than by [Transaction#data]
  /// @throws sluice.fs.FsException `EROFS` after the journal has failed, `E2BIG` when the thread's
  ///   transaction is too large already: nothing is changed then
  Transaction begin(int metadataBlocks) throws IOException;

  /// Overwrites a part of blocks of a file's content that follow each other, in the cache and
  /// outside of a transaction, as far as nothing but these bytes has to change for it. Never waits.
  /// The caller holds the lock of the file, so that the blocks stay the file's, and has no buffer
  /// of them open.
  ///
  /// @param offset in the first block
  /// @return bytes written; when it is 0, [Transaction#data] must be used
  default int tryOverwrite(long block, int offset, Memory from, long at, int bytes) {
    return 0;
  }

  /// Whether a transaction is all or nothing over a crash.
  boolean atomic();

  /// Whether a block may be allocated: it was not freed by a transaction that is not stable yet. An
  /// allocator that finds only others calls [#sync] (outside of its transaction) and looks again.
  default boolean reusable(long block) {
    return true;
  }

  /// Whether it is at its end because something could not be written: no transaction begins.
  default boolean failed() {
    return false;
  }

  /// A point in the order of changes: every transaction closed so far is before it.
  long point();

  /// Whether everything before the point is stable. Never waits and starts nothing.
  default boolean stable(long point) {
    return !atomic();
  }

  /// Waits until everything before the point is stable; starts that if needed.
  void await(long point) throws IOException;

  /// Runs `then` when everything before the point is stable, and starts that if needed.
  void whenStable(long point, FileTree.StableListener then);

  /// Makes everything stable.
  void sync() throws IOException;

  /// Makes everything stable, and has every block at its place, so that a program that does not
  /// know the log finds all of it.
  default void settle() throws IOException {
    sync();
  }

  /// Makes everything stable and leaves a log that needs no replay. The cache stays open.
  @Override
  void close() throws IOException;
}
