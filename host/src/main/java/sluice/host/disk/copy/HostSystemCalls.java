package sluice.host.disk.copy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import sluice.host.text.TerminalText;
import sluice.sys.AttributeCalls;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.NameCalls;
import sluice.sys.Statx;
import sluice.sys.SysException;

/// File operations of this machine that are not available in `java.nio.file`. This class is
/// stateless.
public final class HostSystemCalls {
  private static final int MAX_BYTES = 65_536;
  private static final long NANOS = 1_000_000_000L;

  /// The range of representable times before and after 1970, which is 292 years.
  private static final long MOST_SECONDS = Long.MAX_VALUE / NANOS - 1;

  /// The name of the extended attribute that contains the access control list of a file.
  static final byte[] ACCESS_LIST = bytes("system.posix_acl_access");

  /// The name of the extended attribute that contains the default access control list for new files
  /// in a directory.
  static final byte[] DEFAULT_LIST = bytes("system.posix_acl_default");

  private HostSystemCalls() {}

  /// Throws an exception if the result is a negative errno, and returns it otherwise.
  ///
  /// @throws IOException the exception that `java.nio.file` uses for the error, or a [SysException]
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
          new IOException(
              TerminalText.line(path.toString())
                  + " is a symbolic link, not followed. Fix: remove it first");
      default -> SysException.of(errno, call, TerminalText.line(path.toString()));
    };
  }

  /// Opens a file. The caller must close the descriptor.
  public static int open(Path path, int flags, int mode) throws IOException {
    int fd = NameCalls.openat(Files.AT_FDCWD, bytes(path), flags | Files.O_CLOEXEC, mode);
    return check(fd, "openat", path);
  }

  /// Returns the status of a file without following symbolic links.
  public static Statx status(Path path) throws IOException {
    Statx status = new Statx();
    int flags = Files.AT_SYMLINK_NOFOLLOW;
    int mask = Statx.STATX_BASIC_STATS;
    check(Files.statx(Files.AT_FDCWD, bytes(path), flags, mask, status), "statx", path);
    return status;
  }

  /// Returns a time in nanoseconds since 1970, clamped to the range of a long.
  static long nanos(long seconds, int nanos) {
    return Math.clamp(seconds, -MOST_SECONDS, MOST_SECONDS) * NANOS + nanos;
  }

  /// Returns the path of an open descriptor, which remains valid even if the file is renamed.
  public static byte[] path(int fd) {
    return bytes("/proc/self/fd/" + fd);
  }

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /// Returns the bytes of an absolute path. They are taken from its URI, because the string of a
  /// path does not preserve bytes that are not valid text.
  static byte[] bytes(Path path) {
    String uri = path.toUri().getRawPath(); // the URI of a directory ends with a slash
    int end = uri.length() > 1 && uri.endsWith("/") ? uri.length() - 1 : uri.length();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(end);
    for (int at = 0; at < end; at++) {
      if (uri.charAt(at) == '%') {
        bytes.write(HexFormat.fromHexDigits(uri, at + 1, at + 3));
        at += 2;
      } else {
        bytes.write(uri.charAt(at));
      }
    }
    return bytes.toByteArray();
  }

  /// Returns the last component of a path, or an empty array for the root.
  public static byte[] name(Path path) {
    byte[] bytes = bytes(path);
    int start = bytes.length;
    while (bytes[start - 1] != '/') {
      start--;
    }
    return Arrays.copyOfRange(bytes, start, bytes.length);
  }

  /// Returns the path of a file in a directory. The name of the file may contain arbitrary bytes.
  ///
  /// @param name a name that is not empty and contains neither a slash nor NUL
  public static Path below(Path directory, byte[] name) {
    StringBuilder uri = new StringBuilder("file:///");
    for (byte b : name) {
      uri.append('%').append(HexFormat.of().toHexDigits(b));
    }
    return directory.resolve(Path.of(URI.create(uri.toString())).getFileName());
  }

  /// Returns the target of a symbolic link.
  public static byte[] readLink(Path link) throws IOException {
    int fd = open(link, Files.O_PATH | Files.O_NOFOLLOW, 0);
    try {
      byte[] target = new byte[MAX_BYTES];
      return Arrays.copyOf(target, check(NameCalls.readlink(fd, target), "readlinkat", link));
    } finally {
      Files.close(fd);
    }
  }

  static void symlink(byte[] target, Path link) throws IOException {
    check(NameCalls.symlinkat(target, Files.AT_FDCWD, bytes(link)), "symlinkat", link);
  }

  /// Returns the names of the extended attributes, each followed by NUL. The array is empty if the
  /// file system does not support extended attributes.
  public static byte[] attributes(int fd, Path path) throws IOException {
    byte[] names = new byte[MAX_BYTES];
    int length = AttributeCalls.listxattr(path(fd), names);
    return length == -Errno.EOPNOTSUPP
        ? new byte[0]
        : Arrays.copyOf(names, check(length, "listxattr", path));
  }

  public static byte[] attribute(int fd, byte[] name, Path path) throws IOException {
    byte[] value = new byte[MAX_BYTES];
    int length = AttributeCalls.getxattr(path(fd), name, value);
    return Arrays.copyOf(value, check(length, "getxattr", path));
  }
}
