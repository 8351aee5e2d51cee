package sluice.sys.mount;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.Errno;
import sluice.sys.call.Kernel;
import sluice.sys.call.Paths;
import sluice.sys.call.SystemCall;

/// Mounts and unmounts file systems, and clones FUSE devices.
///
/// This class is stateless and thread-safe. All methods return the result of the kernel, which is 0
/// or a negative errno.
public final class Mounts {
  public static final int MS_RDONLY = 1;
  public static final int MS_NOSUID = 2;
  public static final int MS_NODEV = 4;

  /// A flag that aborts requests in progress. Data that has not been written yet is lost.
  public static final int MNT_FORCE = 1;

  /// A flag that removes the mount from the directory tree immediately, and ends it when its last
  /// user has released it.
  public static final int MNT_DETACH = 2;

  public static final int UMOUNT_NOFOLLOW = 8;

  static final long FUSE_DEV_IOC_CLONE = 0x8004E500L;

  private Mounts() {}

  /// Mounts a file system.
  ///
  /// @param source the device that is shown in mount tables
  /// @param flags `MS_` bits
  /// @param data options in the format of the file system
  public static int mount(String source, String target, String type, int flags, String data) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = Paths.encode(arena, Paths.bytes(source));
      MemorySegment to = Paths.encode(arena, Paths.bytes(target));
      MemorySegment kind = Paths.encode(arena, Paths.bytes(type));
      MemorySegment options = Paths.encode(arena, Paths.bytes(data));
      if (from == null || to == null || kind == null || options == null) {
        return -Errno.EINVAL;
      }
      return (int)
          Kernel.call(
              SystemCall.MOUNT,
              from.address(),
              to.address(),
              kind.address(),
              flags,
              options.address());
    }
  }

  /// Unmounts a file system. This method blocks while the file system writes its remaining data.
  ///
  /// @param flags [#MNT_FORCE], [#MNT_DETACH], [#UMOUNT_NOFOLLOW]
  /// @return 0, or -EBUSY if the mount is in use
  public static int umount2(String target, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = Paths.encode(arena, Paths.bytes(target));
      return text == null
          ? -Errno.EINVAL
          : (int) Kernel.call(SystemCall.UMOUNT2, text.address(), flags);
    }
  }

  /// Turns a newly opened `/dev/fuse` into an additional channel for the requests of a mount.
  ///
  /// @param fd the newly opened descriptor
  /// @param mounted the descriptor with which the file system was mounted
  public static int cloneFuseDevice(int fd, int mounted) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = arena.allocate(Integer.BYTES, Integer.BYTES);
      from.set(JAVA_INT, 0, mounted);
      return (int) Kernel.call(SystemCall.IOCTL, fd, FUSE_DEV_IOC_CLONE, from.address());
    }
  }
}
