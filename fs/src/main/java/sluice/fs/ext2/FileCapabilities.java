package sluice.fs.ext2;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// Takes the capabilities of a program (`security.capability`, see `capabilities(7)`) away before
/// its content or its owner changes, also when root changes it. Any thread may call.
///
/// A file is looked at once while it is in memory: [Inode#withoutCapability] says afterwards that
/// there is nothing to take.
final class FileCapabilities {
  private static final int CREDITS = 12;

  private final Volume volume;
  private final InodeCache inodes;
  private final InodeTable table;
  private final ExtendedAttributes attributes;

  FileCapabilities(
      Volume volume, InodeCache inodes, InodeTable table, ExtendedAttributes attributes) {
    this.volume = volume;
    this.inodes = inodes;
    this.table = table;
    this.attributes = attributes;
  }

  /// Whether a file has none.
  ///
  /// @param known the file where it is in memory, so that it need not be looked for
  boolean areGone(@Nullable Inode known, long number) throws IOException {
    if (known != null && known.withoutCapability) {
      return true;
    }
    Inode inode = inodes.lockToRead(number);
    try {
      boolean gone = !inode.isRegular() || !attributes.hasCapability(inode);
      inode.withoutCapability |= gone;
      return gone;
    } catch (FsException e) {
      if (e.errno() == Errno.EUCLEAN) {
        return true; // what cannot be read gives no program any rights
      }
      throw e;
    } finally {
      inode.unlockRead();
    }
  }

  /// What refuses a change.
  @FunctionalInterface
  interface Check {
    void run(Inode inode) throws FsException;
  }

  /// Removes them, in an operation of its own before that of the change.
  ///
  /// @param check asked first: where it refuses, they stay
  void drop(long number, Check check) throws IOException {
    try (Operation op = volume.begin(CREDITS)) {
      Inode inode = inodes.lockToChange(number);
      try {
        check.run(inode);
        attributes.dropCapability(op, inode);
        inode.withoutCapability = true;
        inode.touch(Inode.CHANGED, table.storable(inode, Volume.now()));
        table.store(op, inode);
        op.done();
      } finally {
        inode.unlock();
      }
    }
  }
}
