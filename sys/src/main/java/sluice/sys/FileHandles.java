package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.call.Kernel;
import sluice.sys.call.Layout;
import sluice.sys.call.SystemCall;

/// File handles, which remain valid across renames and restarts (`open_by_handle_at(2)`).
///
/// This class is stateless and thread-safe.
///
/// ```
///  byte 0              4             8
///      +--------------+-------------+----------------------------+
///      | handle_bytes | handle_type | f_handle, at most 128      |
///      +--------------+-------------+----------------------------+
/// ```
///
/// ```c
/// struct file_handle { unsigned int handle_bytes; int handle_type; unsigned char f_handle[]; };
/// ```
public final class FileHandles {
  static final Layout LAYOUT = Layout.of("struct file_handle");
  static final int HANDLE_BYTES = LAYOUT.u32("handle_bytes");
  static final int HANDLE_TYPE = LAYOUT.u32("handle_type");
  static final int F_HANDLE = LAYOUT.sizeBytes();

  /// The maximum length of `f_handle` (`MAX_HANDLE_SZ`).
  public static final int MAX_BYTES = 128;

  private FileHandles() {}

  /// Returns the handle of an open file. It consists of the type in four little-endian bytes,
  /// followed by `f_handle`.
  ///
  /// @param into an array of at least 4 + [#MAX_BYTES] bytes
  /// @return the length of the handle in `into`, or -EOPNOTSUPP if the file system does not support
  ///   handles
  public static int nameToHandle(int fd, byte[] into) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment handle = arena.allocate(F_HANDLE + MAX_BYTES, Integer.BYTES);
      MemorySegment empty = arena.allocate(1);
      MemorySegment mount = arena.allocate(JAVA_INT);
      handle.set(JAVA_INT, HANDLE_BYTES, MAX_BYTES);
      long result =
          Kernel.call(
              SystemCall.NAME_TO_HANDLE_AT,
              fd,
              empty.address(),
              handle.address(),
              mount.address(),
              Files.AT_EMPTY_PATH);
      if (result < 0) {
        return (int) result;
      }
      int bytes = Integer.BYTES + handle.get(JAVA_INT, HANDLE_BYTES);
      MemorySegment.copy(handle, JAVA_BYTE, HANDLE_TYPE, into, 0, bytes);
      return bytes;
    }
  }

  /// Opens the file to which a handle refers. Requires `CAP_DAC_READ_SEARCH`.
  ///
  /// @param mount the descriptor of any file on the same file system, which was not opened with
  ///   `O_PATH`
  /// @param handle the result of [#nameToHandle]; an invalid or malicious handle results in an
  ///   error
  /// @param flags `O_` bits of [Files]
  /// @return the descriptor, which is close-on-exec, or -ESTALE if the file no longer exists
  public static int open(int mount, byte[] handle, int flags) {
    int bytes = handle.length - Integer.BYTES;
    if (bytes < 0 || bytes > MAX_BYTES) {
      return -Errno.EINVAL;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment struct = arena.allocate(F_HANDLE + MAX_BYTES, Integer.BYTES);
      struct.set(JAVA_INT, HANDLE_BYTES, bytes);
      MemorySegment.copy(handle, 0, struct, JAVA_BYTE, HANDLE_TYPE, handle.length);
      return (int)
          Kernel.callWithBuffer(
              SystemCall.OPEN_BY_HANDLE_AT, mount, struct, flags | Files.O_CLOEXEC);
    }
  }
}
