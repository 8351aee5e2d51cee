package sluice.fs.block;

import java.io.IOException;
import sluice.memory.Memory;

/// A set of changes of blocks that belong together. Confined to the thread that began it. A buffer
/// it returned may be written until the buffer or the outermost transaction is closed.
///
/// A thread that holds a snapshot of a block keeps the old bytes: the change is made in a copy. Two
/// threads may have transactions open at the same time; they must not change the same bytes.
public interface Transaction extends AutoCloseable {
  /// Returns a metadata block to change, with its content.
  Buffer change(long block) throws IOException;

  /// Returns a newly allocated metadata block, filled with zeros.
  Buffer create(long block) throws IOException;

  /// Returns a metadata block that loses entries to a block from [#createFirst]. Without a log it
  /// reaches the device only after everything else changed so far: a crash in between leaves the
  /// entries in both blocks, not in neither. With a log it is the same as [#change].
  default Buffer changeLast(long block) throws IOException {
    return change(block);
  }

  /// Returns a new metadata block that takes entries from another one; otherwise like [#create].
  default Buffer createFirst(long block) throws IOException {
    return create(block);
  }

  /// Returns a content block of a file to change. It is stable before this transaction is.
  ///
  /// @param fresh true if the old content does not matter: the block is zeros, and the device is
  ///   not read
  Buffer data(long block, boolean fresh) throws IOException;

  /// Replaces contiguous content blocks of a file. They are stable before this transaction is.
  /// Their old content is neither read nor kept: if the source fails, the block being copied is
  /// zeroed, and blocks behind it may be.
  ///
  /// @param count number of blocks, at least 1
  /// @param at the offset of the new content in `from`
  void overwrite(long block, int count, Memory from, long at) throws IOException;

  /// Discards a freed metadata block: copies in the log are never replayed, and the cached content
  /// is never written.
  void forget(long block) throws IOException;

  /// Discards freed content blocks that are contiguous: their cached content is never written. They
  /// are not reused before this transaction is stable.
  ///
  /// @param count number of blocks, at least 1
  void forgetData(long block, int count) throws IOException;

  /// Reports a failure in the middle of a change. With a log, the journal ends, and changes that
  /// are not stable yet are lost; without a log this has no effect. The transaction must still be
  /// closed.
  void abort(IOException reason);

  /// Closes the transaction. The outermost one passes all changes to the journal as one.
  @Override
  void close();
}
