package sluice.sys.mount;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.Errno;
import sluice.sys.call.Kernel;
import sluice.sys.call.Paths;
import sluice.sys.call.SystemCall;

/// Mounting, and what a server of a FUSE file system asks of its device.
///
/// Without state: any thread may call. All return what the kernel does: 0, or a negative errno.
public final class Mounts {
  public static final int MS_RDONLY = 1;
  public static final int MS_NOSUID = 2;
  public static final int MS_NODEV = 4;

  /// Aborts requests under way; what is not written is lost.
  public static final int MNT_FORCE = 1;

  /// Takes the mount out of the tree of names now, and ends it when its last user has let go.
  public static final int MNT_DETACH = 2;

  public static final int UMOUNT_NOFOLLOW = 8;

  static final long FUSE_DEV_IOC_CLONE = 0x8004E500L;

  private Mounts() {}

  /// Mounts a file system.
  ///
  /// @param source shown as the device
  /// @param flags `MS_` bits
  /// @param data options, as the file system wants them
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

  /// Ends a mount; blocks while the file system writes the rest.
  ///
  /// @param flags [#MNT_FORCE], [#MNT_DETACH], [#UMOUNT_NOFOLLOW]
  /// @return 0, or -EBUSY while it is used
  public static int umount2(String target, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = Paths.encode(arena, Paths.bytes(target));
      return text == null
          ? -Errno.EINVAL
          : (int) Kernel.call(SystemCall.UMOUNT2, text.address(), flags);
    }
  }

  /// Makes a freshly opened `/dev/fuse` another way to the requests of a mount.
  ///
  /// @param fd just opened
  /// @param mounted the descriptor the mount was made with
  public static int cloneFuseDevice(int fd, int mounted) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = arena.allocate(Integer.BYTES, Integer.BYTES);
      from.set(JAVA_INT, 0, mounted);
      return (int) Kernel.call(SystemCall.IOCTL, fd, FUSE_DEV_IOC_CLONE, from.address());
    }
  }
}
