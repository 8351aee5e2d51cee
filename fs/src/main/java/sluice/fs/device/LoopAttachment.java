package sluice.fs.device;

import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.SysException;
import sluice.sys.mount.LoopDevice;

/// A loop device on an image, for a mount that is served by this process. If a FUSE file system is
/// mounted from a block device, the kernel waits for its server in `umount(2)` and `sync(2)`. No
/// content is transferred through the loop device. The device exists until this object is closed
/// and no mount uses it. Instances are confined to the mounting thread.
///
/// @param path the path of the device, such as `/dev/loop0`
public record LoopAttachment(String path, int fd) implements AutoCloseable {
  private static final String CONTROL = "/dev/loop-control";

  /// The name that identifies loop devices that were created by this class.
  private static final String OURS = "sluice fs mount";

  /// The maximum number of attempts. Several may be needed because another process may acquire a
  /// device that was free.
  private static final int ATTEMPTS = 64;

  /// Attaches an image to a free device. The kernel receives its own open file, so that the locks
  /// of this process are released when the process terminates and not when the mount ends.
  ///
  /// @param image the descriptor of the image
  /// @throws SysException if no device is available
  static LoopAttachment over(int image, boolean readOnly) throws SysException {
    String again = "/proc/self/fd/" + image;
    int access = readOnly ? Files.O_RDONLY : Files.O_RDWR;
    int file = Files.openat(Files.AT_FDCWD, again, access, 0);
    SysException.check(file, "openat", again);
    try {
      return overFile(file, readOnly);
    } finally {
      Files.close(file);
    }
  }

  private static LoopAttachment overFile(int image, boolean readOnly) throws SysException {
    int control = open(CONTROL);
    try {
      int flags = LoopDevice.LO_FLAGS_AUTOCLEAR | (readOnly ? LoopDevice.LO_FLAGS_READ_ONLY : 0);
      for (int i = 0; ; i++) {
        int number = LoopDevice.free(control);
        SysException.check(number, "ioctl", CONTROL, "LOOP_CTL_GET_FREE");
        String path = "/dev/loop" + number;
        int device = open(path);
        int result = LoopDevice.configure(device, image, OURS, flags);
        if (result == 0) {
          return new LoopAttachment(path, device);
        }
        Files.close(device);
        if (result != -Errno.EBUSY || i == ATTEMPTS) {
          SysException.check(result, "ioctl", path, "LOOP_CONFIGURE");
        }
      }
    } finally {
      Files.close(control);
    }
  }

  private static int open(String path) throws SysException {
    int fd = Files.openat(Files.AT_FDCWD, path, Files.O_RDWR, 0);
    return (int) SysException.check(fd, "openat", path, "O_RDWR");
  }

  /// Returns true if a loop device was created by this class. Only root can determine this, so the
  /// result is false for other users.
  static boolean isOurs(String path) {
    int fd = Files.openat(Files.AT_FDCWD, path, Files.O_RDONLY, 0);
    if (fd < 0) {
      return false;
    }
    try {
      return LoopDevice.name(fd).equals(OURS);
    } finally {
      Files.close(fd);
    }
  }

  @Override
  public void close() {
    Files.close(fd);
  }
}
