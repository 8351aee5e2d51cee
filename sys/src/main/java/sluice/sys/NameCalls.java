package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.call.Kernel;
import sluice.sys.call.Paths;
import sluice.sys.call.SystemCall;

/// System calls that create, rename and remove names in directories.
///
/// This class is stateless and thread-safe. All methods return the result of the kernel, or a
/// negative errno. Names are bytes, as in Linux, and are resolved against the descriptor of a
/// directory. If a name contains a NUL, the result is -EINVAL.
public final class NameCalls {
  public static final int AT_REMOVEDIR = 0x200;
  public static final int AT_SYMLINK_FOLLOW = 0x400;

  private NameCalls() {}

  /// Opens or creates a file with close-on-exec (`openat(2)`).
  ///
  /// @param flags `O_` bits of [Files]
  /// @param mode the permissions of a file that is created, otherwise 0
  /// @return the descriptor
  public static int openat(int directory, byte[] name, int flags, int mode) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = Paths.encode(arena, name);
      return text == null
          ? -Errno.EINVAL
          : (int)
              Kernel.callWithBuffer(
                  SystemCall.OPENAT, directory, text, flags | Files.O_CLOEXEC, mode);
    }
  }

  public static int mkdirat(int directory, byte[] name, int mode) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = Paths.encode(arena, name);
      return text == null
          ? -Errno.EINVAL
          : (int) Kernel.callWithBuffer(SystemCall.MKDIRAT, directory, text, mode);
    }
  }

  /// Creates a file, like `mknodat(2)`.
  ///
  /// @param mode the kind (`S_IF` of [Statx]) and the permissions
  /// @param major the major number of a device file, otherwise 0
  /// @param minor the minor number of a device file, otherwise 0
  public static int mknodat(int directory, byte[] name, int mode, int major, int minor) {
    long device =
        (minor & 0xFFL)
            | (major & 0xFFFL) << 8
            | (minor & 0xFFF00L) << 12
            | (major & 0xFFFFF000L) << 32;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = Paths.encode(arena, name);
      return text == null
          ? -Errno.EINVAL
          : (int) Kernel.callWithBuffer(SystemCall.MKNODAT, directory, text, mode, device);
    }
  }

  /// Creates a symbolic link.
  ///
  /// @param target the target of the link, which must not contain a NUL
  public static int symlinkat(byte[] target, int directory, byte[] name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment to = Paths.encode(arena, target);
      MemorySegment text = Paths.encode(arena, name);
      return to == null || text == null
          ? -Errno.EINVAL
          : (int) Kernel.call(SystemCall.SYMLINKAT, to.address(), directory, text.address());
    }
  }

  /// Creates a hard link.
  ///
  /// @param flags [#AT_SYMLINK_FOLLOW], [Files#AT_EMPTY_PATH] or 0
  public static int linkat(int fromDirectory, byte[] from, int toDirectory, byte[] to, int flags) {
    return ofTwo(SystemCall.LINKAT, fromDirectory, from, toDirectory, to, flags);
  }

  /// Removes a name.
  ///
  /// @param flags [#AT_REMOVEDIR] or 0
  public static int unlinkat(int directory, byte[] name, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = Paths.encode(arena, name);
      return text == null
          ? -Errno.EINVAL
          : (int) Kernel.callWithBuffer(SystemCall.UNLINKAT, directory, text, flags);
    }
  }

  /// Renames a file.
  ///
  /// @param flags 1 (`RENAME_NOREPLACE`), 2 (`RENAME_EXCHANGE`) or 0
  public static int renameat2(
      int fromDirectory, byte[] from, int toDirectory, byte[] to, int flags) {
    return ofTwo(SystemCall.RENAMEAT2, fromDirectory, from, toDirectory, to, flags);
  }

  private static int ofTwo(
      SystemCall call, int fromDirectory, byte[] from, int toDirectory, byte[] to, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment old = Paths.encode(arena, from);
      MemorySegment text = Paths.encode(arena, to);
      return old == null || text == null
          ? -Errno.EINVAL
          : (int)
              Kernel.call(call, fromDirectory, old.address(), toDirectory, text.address(), flags);
    }
  }

  /// Reads the target of a symbolic link that was opened with `O_PATH | O_NOFOLLOW`.
  ///
  /// @param into the array that receives the target, which is truncated if it does not fit
  /// @return the number of bytes
  public static int readlink(int link, byte[] into) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment empty = arena.allocate(1);
      MemorySegment target = arena.allocate(Math.max(1, into.length));
      int length =
          (int)
              Kernel.call(
                  SystemCall.READLINKAT, link, empty.address(), target.address(), into.length);
      if (length > 0) {
        MemorySegment.copy(target, JAVA_BYTE, 0, into, 0, length);
      }
      return length;
    }
  }
}
