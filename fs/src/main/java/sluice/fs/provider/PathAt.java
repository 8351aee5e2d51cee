package sluice.fs.provider;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileAttributes;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// A path together with the directory against which it is resolved if it is relative. The directory
/// is either the root or an open directory. Instances are immutable and thread-safe.
///
/// @param base the open directory, or null for the root
record PathAt(TreePath path, @Nullable Base base) {
  /// An open directory.
  interface Base {
    /// Returns the inode of the directory.
    ///
    /// @throws java.nio.file.ClosedDirectoryStreamException if the directory was closed
    long inode();
  }

  static PathAt of(TreePath path) {
    return new PathAt(path, null);
  }

  TreeFileSystem fileSystem() {
    return path.getFileSystem();
  }

  /// Returns the inode of the directory against which a relative path is resolved.
  ///
  /// @throws java.nio.file.ClosedDirectoryStreamException if the base was closed
  private long start() {
    return base == null ? fileSystem().tree().rootInode() : base.inode();
  }

  /// Resolves the path. The last name does not need to exist.
  PathWalk.Found find(boolean follow) throws IOException {
    return fileSystem().walk().find(start(), path, follow);
  }

  /// Returns the inode of the path.
  ///
  /// @throws sluice.fs.FsException also with `ENOENT` if the path does not exist
  long inode(boolean follow) throws IOException {
    return find(follow).required();
  }

  /// Returns the inode of the path for queries about a file. Unlike [#inode], this method reports
  /// `ENOENT` if a parent of the path is a file that is not a directory, as the JDK's provider
  /// does.
  long existing(boolean follow) throws IOException {
    try {
      return inode(follow);
    } catch (FsException e) {
      throw e.errno() == Errno.ENOTDIR ? ErrnoExceptions.refuse(Errno.ENOENT) : e;
    }
  }

  /// Returns the attributes of the path. Reports the same errors as [#existing].
  FileAttributes attributes(boolean follow) throws IOException {
    return fileSystem().tree().attributes(existing(follow));
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
