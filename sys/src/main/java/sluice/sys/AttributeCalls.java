package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import sluice.sys.call.Kernel;
import sluice.sys.call.Paths;
import sluice.sys.call.SystemCall;

/// System calls that change or check the attributes of a file. Several of them accept a descriptor
/// that was opened with `O_PATH`.
///
/// This class is stateless and thread-safe. All methods return the result of the kernel, or a
/// negative errno.
public final class AttributeCalls {
  /// A time value that denotes the time of the call.
  public static final long UTIME_NOW = 0x3FFFFFFF;

  /// A time value that leaves the time unchanged.
  public static final long UTIME_OMIT = 0x3FFFFFFE;

  /// A flag of [#faccessat] that checks the effective ids of the thread instead of the real ids of
  /// the process.
  private static final int AT_EACCESS = 0x200;

  private static final byte[] EMPTY = {};
  private static final long NANOS = 1_000_000_000L;

  private AttributeCalls() {}

  /// Checks access rights with the effective ids, like `faccessat2(2)`.
  ///
  /// @param rights the sum of 4 (read), 2 (write) and 1 (execute or search)
  public static int faccessat(int fd, int rights) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment empty = arena.allocate(1);
      return (int)
          Kernel.callWithBuffer(
              SystemCall.FACCESSAT2, fd, empty, rights, AT_EACCESS | Files.AT_EMPTY_PATH);
    }
  }

  /// Sets the permissions of a file.
  ///
  /// @param path the path of the file; a relative path is resolved against the working directory
  public static int chmod(byte[] path, int permissions) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = Paths.encode(arena, path);
      return text == null
          ? -Errno.EINVAL
          : (int) Kernel.callWithBuffer(SystemCall.FCHMODAT, Files.AT_FDCWD, text, permissions);
    }
  }

  /// Sets the owner and the group of a file.
  ///
  /// @param uid the new owner, or -1 to leave it unchanged
  /// @param gid the new group, or -1 to leave it unchanged
  public static int chown(int fd, int uid, int gid) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment empty = arena.allocate(1);
      return (int)
          Kernel.callWithBuffer(SystemCall.FCHOWNAT, fd, empty, uid, gid, Files.AT_EMPTY_PATH, 0);
    }
  }

  /// Sets the access and modification times. Requires Linux 5.8.
  ///
  /// @param accessNanos the access time in nanoseconds since 1970
  /// @param modifyNanos the modification time in nanoseconds since 1970
  /// @param accessSpecial [#UTIME_NOW], [#UTIME_OMIT], or 0 to use `accessNanos`
  /// @param modifySpecial [#UTIME_NOW], [#UTIME_OMIT], or 0 to use `modifyNanos`
  public static int utimens(
      int fd, long accessNanos, long accessSpecial, long modifyNanos, long modifySpecial) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment empty = arena.allocate(1);
      MemorySegment times = arena.allocate(4L * Long.BYTES, Long.BYTES);
      times(times, 0, accessNanos, accessSpecial);
      times(times, 2, modifyNanos, modifySpecial);
      return (int)
          Kernel.call(
              SystemCall.UTIMENSAT, fd, empty.address(), times.address(), Files.AT_EMPTY_PATH);
    }
  }

  private static void times(MemorySegment times, int index, long nanos, long special) {
    boolean given = special == 0;
    times.setAtIndex(JAVA_LONG, index, given ? Math.floorDiv(nanos, NANOS) : 0);
    times.setAtIndex(JAVA_LONG, index + 1L, given ? Math.floorMod(nanos, NANOS) : special);
  }

  /// Allocates space or punches a hole, like `fallocate(2)`.
  ///
  /// @param flags the sum of 1 (`FALLOC_FL_KEEP_SIZE`) and 2 (`FALLOC_FL_PUNCH_HOLE`), or 0
  public static int fallocate(int fd, int flags, long position, long length) {
    return (int) Kernel.call(SystemCall.FALLOCATE, fd, flags, position, length);
  }

  /// Returns the start of the next data or hole (`SEEK_DATA`, `SEEK_HOLE`). This call changes the
  /// position of the descriptor.
  public static long seek(int fd, long position, boolean hole) {
    int whence = hole ? Files.SEEK_HOLE : Files.SEEK_HOLE - 1;
    return Kernel.call(SystemCall.LSEEK, fd, position, whence);
  }

  /// Makes the content and the attributes of a file, or the names in a directory, durable.
  ///
  /// @return 0 or a negative errno; if an error is returned, data that was not written yet may be
  ///   lost
  public static int fsync(int fd) {
    return (int) Kernel.call(SystemCall.FSYNC, fd);
  }

  /// Makes all changes durable that were made to the file system of the given descriptor.
  public static int syncfs(int fd) {
    return (int) Kernel.call(SystemCall.SYNCFS, fd);
  }

  // ---- extended attributes, by path: /proc/self/fd/N for a descriptor ---------------------------

  /// Reads the value of an extended attribute.
  ///
  /// @param into the array that receives the value, or an empty array to request only its length
  /// @return the length of the value in bytes
  public static int getxattr(byte[] path, byte[] name, byte[] into) {
    return xattr(SystemCall.GETXATTR, path, name, into);
  }

  /// Reads the names of the extended attributes.
  ///
  /// @param into the array that receives the names, each terminated by NUL, or an empty array to
  ///   request only their length
  /// @return the total length of the names in bytes
  public static int listxattr(byte[] path, byte[] into) {
    return xattr(SystemCall.LISTXATTR, path, null, into);
  }

  private static int xattr(SystemCall call, byte[] path, byte @Nullable [] name, byte[] into) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment file = Paths.encode(arena, path);
      MemorySegment text = Paths.encode(arena, name == null ? EMPTY : name);
      if (file == null || text == null) {
        return -Errno.EINVAL;
      }
      MemorySegment value = arena.allocate(Math.max(1, into.length));
      int length =
          (int)
              (name == null
                  ? Kernel.call(call, file.address(), value.address(), into.length)
                  : Kernel.call(
                      call, file.address(), text.address(), value.address(), into.length));
      if (length > 0 && into.length > 0) {
        MemorySegment.copy(value, JAVA_BYTE, 0, into, 0, length);
      }
      return length;
    }
  }

  /// Sets the value of an extended attribute.
  ///
  /// @param flags 1 (`XATTR_CREATE`), 2 (`XATTR_REPLACE`) or 0
  public static int setxattr(byte[] path, byte[] name, byte[] value, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment file = Paths.encode(arena, path);
      MemorySegment text = Paths.encode(arena, name);
      if (file == null || text == null) {
        return -Errno.EINVAL;
      }
      MemorySegment bytes = arena.allocate(Math.max(1, value.length));
      MemorySegment.copy(value, 0, bytes, JAVA_BYTE, 0, value.length);
      return (int)
          Kernel.call(
              SystemCall.SETXATTR,
              file.address(),
              text.address(),
              bytes.address(),
              value.length,
              flags);
    }
  }

  public static int removexattr(byte[] path, byte[] name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment file = Paths.encode(arena, path);
      MemorySegment text = Paths.encode(arena, name);
      return file == null || text == null
          ? -Errno.EINVAL
          : (int) Kernel.call(SystemCall.REMOVEXATTR, file.address(), text.address());
    }
  }
}
