package sluice.fs.block;

import java.io.IOException;
import sluice.memory.Memory;

/// Changes of blocks that belong together. Of the thread that began it; a buffer it gave may be
/// written until the buffer or the outermost transaction is closed, whichever is first.
///
/// A holder of a block as a snapshot keeps the old bytes: the change is made in a copy then. Two
/// threads may have transactions open at a time; that they do not change the same bytes is their
/// affair.
public interface Transaction extends AutoCloseable {
  /// A metadata block that will be changed, with its content.
  Buffer change(long block) throws IOException;

  /// A metadata block that was just allocated: all zeros, whatever the device holds.
  Buffer create(long block) throws IOException;

  /// A metadata block that loses what a block from [#createFirst] takes. Without a log it reaches
  /// the device only after everything else that was changed up to now: a crash in between leaves
  /// both, not neither. With one it is [#change].
  default Buffer changeLast(long block) throws IOException {
    return change(block);
  }

  /// A metadata block as from [#create], which takes what another one loses.
  default Buffer createFirst(long block) throws IOException {
    return create(block);
  }

  /// A block of a file's content that will be changed. Stable before this transaction is.
  ///
  /// @param fresh its old content does not matter: all zeros, and the device is not read
  Buffer data(long block, boolean fresh) throws IOException;

  /// Replaces blocks of a file's content that follow each other; stable before this transaction is.
  /// What they held is neither read nor kept: when the source fails in the middle, the block it
  /// failed at is zeros, and some behind it may be.
  ///
  /// @param count number of blocks, at least 1
  /// @param at where the new content begins in `from`
  void overwrite(long block, int count, Memory from, long at) throws IOException;

  /// A metadata block was freed: what the log holds of it is never replayed, what the cache holds
  /// is never written.
  void forget(long block) throws IOException;

  /// Blocks of a file's content that follow each other were freed: what the cache holds is never
  /// written. They are not used for anything else before this transaction is stable.
  ///
  /// @param count number of blocks, at least 1
  void forgetData(long block, int count) throws IOException;

  /// Something failed in mid-change. With a log, nothing that is not stable yet ever will be, and
  /// the journal is at its end; without one it does nothing. The transaction is still to be closed.
  void abort(IOException reason);

  /// Closes; the outermost one hands the changes to the journal as one.
  @Override
  void close();
}
