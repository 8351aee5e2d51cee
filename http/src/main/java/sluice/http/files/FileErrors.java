package sluice.http.files;

import sluice.sys.Errno;

/// What an error of the file system says about a path. Stateless: any thread may call.
final class FileErrors {
  private FileErrors() {}

  /// Whether an error says nothing about the file, only that something has run out.
  static boolean passes(int errno) {
    return errno == Errno.EMFILE || errno == Errno.ENFILE || errno == Errno.ENOMEM;
  }

  /// The status of a reply that has to say it.
  static int status(int errno) {
    return switch (errno) {
      case Errno.ENOENT, Errno.ENOTDIR, Errno.ENAMETOOLONG, Errno.ENODEV, SiteFiles.ENXIO -> 404;
      case Errno.EACCES, Errno.EPERM, Errno.ELOOP, Errno.EXDEV -> 403;
      case Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM, Errno.EAGAIN, Errno.ESTALE -> 503;
      default -> 500;
    };
  }
}
