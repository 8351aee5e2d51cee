package sluice.fs.provider;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileAttributes;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// A path and the directory at which a relative path starts: the root, or an open directory.
/// Immutable and safe for use by any thread.
///
/// @param base the open directory, null for the root
record PathAt(TreePath path, @Nullable Base base) {
  /// An open directory.
  interface Base {
    /// Returns the inode of the directory.
    ///
    /// @throws java.nio.file.ClosedDirectoryStreamException if it is closed
    long inode();
  }

  static PathAt of(TreePath path) {
    return new PathAt(path, null);
  }

  TreeFileSystem fileSystem() {
    return path.getFileSystem();
  }

  /// Returns the inode at which a relative path starts.
  ///
  /// @throws java.nio.file.ClosedDirectoryStreamException if the base is closed
  private long start() {
    return base == null ? fileSystem().tree().rootInode() : base.inode();
  }

  /// Resolves the path. The last name need not exist.
  PathWalk.Found find(boolean follow) throws IOException {
    return fileSystem().walk().find(start(), path, follow);
  }

  /// Returns the inode of the path.
  ///
  /// @throws sluice.fs.FsException also `ENOENT`
  long inode(boolean follow) throws IOException {
    return find(follow).required();
  }

  /// Returns the inode of the path, for queries about a file. Unlike [#inode], a path below a file
  /// that is not a directory is reported as `ENOENT`, as by the JDK's own provider.
  long existing(boolean follow) throws IOException {
    try {
      return inode(follow);
    } catch (FsException e) {
      throw e.errno() == Errno.ENOTDIR ? ErrnoExceptions.refuse(Errno.ENOENT) : e;
    }
  }

  /// Returns the attributes of the path, with the errors of [#existing].
  FileAttributes attributes(boolean follow) throws IOException {
    return fileSystem().tree().attributes(existing(follow));
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
