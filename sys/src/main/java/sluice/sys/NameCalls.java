package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.call.Kernel;
import sluice.sys.call.Paths;
import sluice.sys.call.SystemCall;

/// Calls that make, move and remove names in directories.
///
/// Without state: any thread may call. All return what the kernel does: a result, or a negative
/// errno. Names are bytes, as in Linux, relative to the descriptor of a directory; a name with a
/// NUL in it gives -EINVAL.
public final class NameCalls {
  public static final int AT_REMOVEDIR = 0x200;
  public static final int AT_SYMLINK_FOLLOW = 0x400;

  private NameCalls() {}

  /// Opens or creates a file (`openat(2)`), close-on-exec.
  ///
  /// @param flags `O_` bits of [Files]
  /// @param mode permissions of a created file, otherwise 0
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

  /// @param mode kind (`S_IF` of [Statx]) and permissions
  /// @param major of a device, else 0
  /// @param minor of a device, else 0
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

  /// @param target where the link leads, without NUL
  public static int symlinkat(byte[] target, int directory, byte[] name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment to = Paths.encode(arena, target);
      MemorySegment text = Paths.encode(arena, name);
      return to == null || text == null
          ? -Errno.EINVAL
          : (int) Kernel.call(SystemCall.SYMLINKAT, to.address(), directory, text.address());
    }
  }

  /// Another name for a file.
  ///
  /// @param flags [#AT_SYMLINK_FOLLOW], [Files#AT_EMPTY_PATH] or 0
  public static int linkat(int fromDirectory, byte[] from, int toDirectory, byte[] to, int flags) {
    return ofTwo(SystemCall.LINKAT, fromDirectory, from, toDirectory, to, flags);
  }

  /// @param flags [#AT_REMOVEDIR] or 0
  public static int unlinkat(int directory, byte[] name, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = Paths.encode(arena, name);
      return text == null
          ? -Errno.EINVAL
          : (int) Kernel.callWithBuffer(SystemCall.UNLINKAT, directory, text, flags);
    }
  }

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

  /// Where the symbolic link leads that a descriptor was opened on with `O_PATH | O_NOFOLLOW`.
  ///
  /// @param into receives the target's bytes, cut off if there are more
  /// @return its length in bytes
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
