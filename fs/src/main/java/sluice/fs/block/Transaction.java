package sluice.fs.block;

import java.io.IOException;
import sluice.memory.Memory;

/// A set of related changes to blocks. A transaction is confined to the thread that began it. A
/// buffer that it returns may be written until the buffer or the outermost transaction is closed.
///
/// If another thread holds a snapshot of a block, the change is made to a copy, and the snapshot
/// keeps the old bytes. Two threads may have open transactions at the same time, but they must not
/// change the same bytes.
public interface Transaction extends AutoCloseable {
  /// Returns a metadata block to be modified, including its current content.
  Buffer change(long block) throws IOException;

  /// Returns a newly allocated metadata block that is filled with zeros.
  Buffer create(long block) throws IOException;

  /// Returns a metadata block from which entries are moved to a block that was returned by
  /// [#createFirst]. If there is no log, the block reaches the device only after all other changes
  /// made so far, so that a crash in between leaves the entries in both blocks instead of in
  /// neither. If there is a log, this method is equivalent to [#change].
  default Buffer changeLast(long block) throws IOException {
    return change(block);
  }

  /// Returns a new metadata block to which entries of another block are moved. In all other
  /// respects, this method behaves like [#create].
  default Buffer createFirst(long block) throws IOException {
    return create(block);
  }

  /// Returns a content block of a file to be modified. Its content becomes durable before this
  /// transaction does.
  ///
  /// @param fresh true if the old content is not needed, in which case the block is filled with
  ///   zeros and the device is not read
  Buffer data(long block, boolean fresh) throws IOException;

  /// Replaces contiguous content blocks of a file. Their content becomes durable before this
  /// transaction does. The old content is neither read nor preserved: if the source fails, the
  /// block that is being copied is filled with zeros, and the blocks after it may be as well.
  ///
  /// @param count the number of blocks, at least 1
  /// @param at the offset of the new content in `from`
  void overwrite(long block, int count, Memory from, long at) throws IOException;

  /// Discards a metadata block that was freed. Copies of it in the log are never replayed, and its
  /// cached content is never written.
  void forget(long block) throws IOException;

  /// Discards contiguous content blocks that were freed. Their cached content is never written, and
  /// they are not reused until this transaction is durable.
  ///
  /// @param count the number of blocks, at least 1
  void forgetData(long block, int count) throws IOException;

  /// Reports a failure in the middle of a change. If there is a log, the journal ends, and all
  /// changes that are not durable yet are lost. If there is no log, this method has no effect. The
  /// transaction must still be closed.
  void abort(IOException reason);

  /// Closes this transaction. Closing the outermost transaction passes all of its changes to the
  /// journal as a unit.
  @Override
  void close();
}
