package sluice.fs.ext2;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// Removes the capabilities of a program file (`security.capability`, see `capabilities(7)`) before
/// its content or owner is changed, even if the change is made by root. This class is thread-safe.
///
/// The attributes of a file are read at most once while its inode is in memory. After that,
/// [Inode#withoutCapability] indicates that there are no capabilities to remove.
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

  /// Returns true if a file has no capabilities.
  ///
  /// @param known the inode if it is already in memory, which saves looking it up again
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
        return true; // attributes that cannot be read grant no rights
      }
      throw e;
    } finally {
      inode.unlockRead();
    }
  }

  /// A check that may reject the change.
  @FunctionalInterface
  interface Check {
    void run(Inode inode) throws FsException;
  }

  /// Removes the capabilities of a file in a separate operation that precedes the change.
  ///
  /// @param check runs first; if it throws an exception, the capabilities are not removed
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
