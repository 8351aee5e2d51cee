package sluice.http.files;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import sluice.loop.sockets.DescriptorShortage;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.Statx;
import sluice.sys.SysException;

/// The open directory beneath which the files of sites are opened. All sites with the same
/// directory share it. Any thread may call.
///
/// The number of its descriptor never changes, because [#reopen] replaces the directory that the
/// descriptor refers to.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | fd | constructor | final | - |
/// | errno | caller of `reopen` | volatile | volatile |
/// | closed | any | volatile | compareAndSet |
final class KernelRoot {
  static final int NO_LINKS =
      Files.RESOLVE_BENEATH | Files.RESOLVE_NO_MAGICLINKS | Files.RESOLVE_NO_SYMLINKS;
  private static final int MOST_REPEATS = 32;
  private static final long REPEAT_NANOS = 100_000;
  static final byte[] HERE = {'.'};

  private final String path;
  private final int fd;

  /// The reason why the root could not be reopened as a negated errno, or 0 if there was no error.
  private volatile int errno;

  private final AtomicBoolean closed = new AtomicBoolean();

  /// Opens the root.
  ///
  /// @param path the absolute path of the directory
  /// @throws SysException if the directory cannot be opened, is not a directory, or this kernel or
  ///   container does not support `openat2`
  KernelRoot(String path) throws SysException {
    this.path = path;
    this.fd = (int) SysException.check(openPath(path), "openat", path);
    int probe = Files.openat2(fd, HERE, Files.O_PATH | Files.O_DIRECTORY, 0, NO_LINKS);
    if (probe < 0) {
      Files.close(fd);
      throw SysException.of(-probe, "openat2", path);
    }
    Files.close(probe);
  }

  private static int openPath(String path) {
    return Files.openat(Files.AT_FDCWD, path, Files.O_PATH | Files.O_DIRECTORY, 0);
  }

  String path() {
    return path;
  }

  int fd() {
    return fd;
  }

  /// Returns the reason why no files can currently be opened as a negated errno, or 0 if files can
  /// be opened.
  int errno() {
    return errno;
  }

  /// Returns true if the path now refers to a directory other than the open one.
  ///
  /// @throws SysException if the path cannot be opened
  boolean moved() throws SysException {
    int now = (int) SysException.check(openPath(path), "openat", path);
    try {
      Statx opened = new Statx();
      Statx named = new Statx();
      return errno != 0
          || Files.statx(fd, Statx.STATX_BASIC_STATS, opened) != 0
          || Files.statx(now, Statx.STATX_BASIC_STATS, named) != 0
          || opened.inode() != named.inode()
          || opened.device() != named.device();
    } finally {
      Files.close(now);
    }
  }

  /// Opens the directory that the path currently refers to. If the path refers to no directory, no
  /// files can be opened beneath the root.
  ///
  /// @return 0, or a negated errno if no descriptor was available
  int reopen() {
    int now = openPath(path);
    if (now < 0 && !FileErrors.passes(-now)) {
      // Prevents all lookups, because no path can be resolved beneath a file that is not a
      // directory.
      now = Files.openat(Files.AT_FDCWD, "/dev/null", Files.O_PATH, 0);
    }
    if (now < 0) {
      // The descriptor still refers to the old root, which must no longer be served.
      DescriptorShortage.report(-now);
      errno = now;
      return now;
    }
    Files.replace(fd, now);
    Files.close(now);
    errno = 0;
    return 0;
  }

  /// Opens a file beneath the root.
  ///
  /// @param resolve `RESOLVE_` bits
  /// @return a descriptor, or a negated errno
  int open(byte[] name, int flags, int resolve) {
    int missing = errno;
    if (missing < 0) {
      return missing;
    }
    for (int repeat = 1; ; repeat++) {
      int opened = Files.openat2(fd, name, flags, 0, resolve);
      boolean passing = opened == -Errno.EAGAIN || opened == -Errno.EINTR;
      if (!passing || repeat == MOST_REPEATS) {
        return opened;
      }
      // Retries after a rename during resolution, or while a lease is being broken.
      LockSupport.parkNanos(REPEAT_NANOS);
    }
  }

  /// Opens a directory to be watched, or returns `-ELOOP` if its path contains a symbolic link.
  int openToWatch(byte[] name) {
    return open(name, Files.O_PATH | Files.O_DIRECTORY, NO_LINKS);
  }

  /// Closes the root. Files that were opened beneath it remain open. Idempotent.
  void close() {
    if (closed.compareAndSet(false, true)) {
      Files.close(fd);
    }
  }
}
