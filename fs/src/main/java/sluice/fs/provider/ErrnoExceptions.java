package sluice.fs.provider;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.ReadOnlyFileSystemException;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// Converts error numbers to exceptions of `java.nio.file`. This class is stateless and
/// thread-safe.
final class ErrnoExceptions {
  private ErrnoExceptions() {}

  /// Returns the exception that reports an error of a tree. The original exception becomes its
  /// cause.
  ///
  /// @throws ReadOnlyFileSystemException if the file system was opened read-only and this is the
  ///   reason for the error
  static IOException of(FsException e, TreePath path, @Nullable TreePath other) {
    if (e.errno() == Errno.EROFS && path.getFileSystem().isReadOnly()) {
      throw new ReadOnlyFileSystemException();
    }
    IOException made = of(e, path.toString(), other == null ? null : other.toString());
    made.initCause(e);
    return made;
  }

  private static IOException of(FsException e, String path, @Nullable String other) {
    String reason = reason(e);
    return switch (e.errno()) {
      case Errno.ENOENT, Errno.ESTALE -> new NoSuchFileException(path, other, null);
      // For an operation with two paths, these exceptions contain the target.
      case Errno.EEXIST -> new FileAlreadyExistsException(other == null ? path : other);
      case Errno.ENOTEMPTY -> new DirectoryNotEmptyException(other == null ? path : other);
      case Errno.EACCES -> new AccessDeniedException(path, other, null);
      case Errno.ENOTDIR -> new NotDirectoryException(path);
      case Errno.ELOOP -> new FileSystemLoopException(path);
      default -> new FileSystemException(path, other, reason);
    };
  }

  /// Returns the description of an error, including the location if it reports damage.
  private static String reason(FsException e) {
    boolean damage = e.errno() == Errno.EIO || e.errno() == Errno.EUCLEAN;
    boolean readOnly = e.errno() == Errno.EROFS;
    return damage || readOnly ? String.valueOf(e.getMessage()) : Errno.describe(e.errno());
  }

  /// Returns an exception for an error that is detected by the provider itself.
  static FsException refuse(int errno) {
    return FsException.of(errno, "by the provider");
  }
}
