package sluice.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import sluice.sys.AttributeCalls;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.Statx;
import sluice.sys.SysException;

/// Files of this machine by what `java.nio.file` has no words for. Stateless: any thread may call.
final class HostCall {
  private static final int MAX_BYTES = 65_536;
  private static final long NANOS = 1_000_000_000L;

  /// In either direction from 1970: 292 years.
  private static final long MOST_SECONDS = Long.MAX_VALUE / NANOS - 1;

  private HostCall() {}

  /// @throws IOException as `java.nio.file` names it, or a [SysException]
  static int check(long result, String call, Path path) throws IOException {
    if (result >= 0) {
      return (int) result;
    }
    int errno = (int) -result;
    throw switch (errno) {
      case Errno.ENOENT -> new NoSuchFileException(path.toString());
      case Errno.EEXIST -> new FileAlreadyExistsException(path.toString());
      case Errno.EACCES, Errno.EPERM -> new AccessDeniedException(path.toString());
      case Errno.ELOOP ->
          new IOException(path + " is a symbolic link, not followed. Fix: remove it first");
      default -> SysException.of(errno, call, path);
    };
  }

  /// The caller closes it.
  static int open(Path path, int flags, int mode) throws IOException {
    int fd = Files.openat(Files.AT_FDCWD, path.toString(), flags | Files.O_CLOEXEC, mode);
    return check(fd, "openat", path);
  }

  /// Of a symbolic link itself.
  static Statx status(Path path) throws IOException {
    Statx status = new Statx();
    int flags = Files.AT_SYMLINK_NOFOLLOW;
    int mask = Statx.STATX_BASIC_STATS;
    check(Files.statx(Files.AT_FDCWD, path.toString(), flags, mask, status), "statx", path);
    return status;
  }

  /// A time in nanoseconds since 1970; those that are too far away are as far as that reaches.
  static long nanos(long seconds, int nanos) {
    return Math.clamp(seconds, -MOST_SECONDS, MOST_SECONDS) * NANOS + nanos;
  }

  /// The path of what a descriptor is open for, whatever becomes of its name.
  static byte[] path(int fd) {
    return bytes("/proc/self/fd/" + fd);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /// Names of extended attributes, each ended by NUL; none where the file system has none.
  static byte[] attributes(int fd, Path path) throws IOException {
    byte[] names = new byte[MAX_BYTES];
    int length = AttributeCalls.listxattr(path(fd), names);
    return length == -Errno.EOPNOTSUPP
        ? new byte[0]
        : Arrays.copyOf(names, check(length, "listxattr", path));
  }

  static byte[] attribute(int fd, byte[] name, Path path) throws IOException {
    byte[] value = new byte[MAX_BYTES];
    int length = AttributeCalls.getxattr(path(fd), name, value);
    return Arrays.copyOf(value, check(length, "getxattr", path));
  }
}
