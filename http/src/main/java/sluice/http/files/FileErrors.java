package sluice.http.files;

import sluice.sys.Errno;

/// Maps file system errors to replies. Stateless, so any thread may call it.
final class FileErrors {
  private FileErrors() {}

  /// Returns true if an error is unrelated to the file and only means that a resource is exhausted.
  static boolean passes(int errno) {
    return errno == Errno.EMFILE || errno == Errno.ENFILE || errno == Errno.ENOMEM;
  }

  /// Returns the status of the reply to a request that failed with the given error.
  static int status(int errno) {
    return switch (errno) {
      case Errno.ENOENT, Errno.ENOTDIR, Errno.ENAMETOOLONG, Errno.ENODEV, SiteFiles.ENXIO -> 404;
      case Errno.EACCES, Errno.EPERM, Errno.ELOOP, Errno.EXDEV -> 403;
      case Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM, Errno.EAGAIN, Errno.ESTALE -> 503;
      default -> 500;
    };
  }
}
