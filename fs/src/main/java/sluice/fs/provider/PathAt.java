package sluice.fs.provider;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileAttributes;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// A path and the directory a relative one starts from: the root, or a directory that is open.
/// Immutable: any thread may use it.
///
/// @param base null for the root
record PathAt(TreePath path, @Nullable Base base) {
  /// A directory that is open.
  interface Base {
    /// @throws java.nio.file.ClosedDirectoryStreamException when it is closed
    long inode();
  }

  static PathAt of(TreePath path) {
    return new PathAt(path, null);
  }

  TreeFileSystem fileSystem() {
    return path.getFileSystem();
  }

  /// @throws java.nio.file.ClosedDirectoryStreamException when the base is closed
  private long start() {
    return base == null ? fileSystem().tree().rootInode() : base.inode();
  }

  /// Where the path leads; the last name need not exist.
  PathWalk.Found find(boolean follow) throws IOException {
    return fileSystem().walk().find(start(), path, follow);
  }

  /// @throws sluice.fs.FsException `ENOENT` as well
  long inode(boolean follow) throws IOException {
    return find(follow).required();
  }

  /// As [#inode] for what asks about a file: one below something that is no directory does not
  /// exist, as the JDK's own provider has it.
  long existing(boolean follow) throws IOException {
    try {
      return inode(follow);
    } catch (FsException e) {
      throw e.errno() == Errno.ENOTDIR ? ErrnoExceptions.refuse(Errno.ENOENT) : e;
    }
  }

  /// As [#existing].
  FileAttributes attributes(boolean follow) throws IOException {
    return fileSystem().tree().attributes(existing(follow));
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
