package sluice.http.files;

import sluice.sys.Errno;

/// Maps errors of the file system to replies. Stateless: any thread may call.
final class FileErrors {
  private FileErrors() {}

  /// Returns true if an error says nothing about the file, only that a resource has run out.
  static boolean passes(int errno) {
    return errno == Errno.EMFILE || errno == Errno.ENFILE || errno == Errno.ENOMEM;
  }

  /// Returns the status of the reply to a request that failed with this error.
  static int status(int errno) {
    return switch (errno) {
      case Errno.ENOENT, Errno.ENOTDIR, Errno.ENAMETOOLONG, Errno.ENODEV, SiteFiles.ENXIO -> 404;
      case Errno.EACCES, Errno.EPERM, Errno.ELOOP, Errno.EXDEV -> 403;
      case Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM, Errno.EAGAIN, Errno.ESTALE -> 503;
      default -> 500;
    };
  }
}
