package sluice.fs.device;

import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.SysException;
import sluice.sys.mount.LoopDevice;

/// A loop device over an image, for a mount of ours: the kernel waits in `umount(2)` and `sync(2)`
/// for the server of a FUSE file system that is mounted from a block device. Content never goes
/// through it. It lives until this is closed and nothing is mounted from it any more. Of the thread
/// that mounts.
///
/// @param path such as `/dev/loop0`
public record LoopAttachment(String path, int fd) implements AutoCloseable {
  private static final String CONTROL = "/dev/loop-control";

  /// The name of the devices of our mounts.
  private static final String OURS = "sluice fs mount";

  /// Another process may take a device that was free.
  private static final int ATTEMPTS = 64;

  /// Puts an image behind a free device. The kernel gets an open file of its own, so that the locks
  /// of ours end with this process, not with the mount.
  ///
  /// @param image descriptor of the image
  /// @throws SysException when there is no device to be had
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

  /// Whether a loop device is one of these. Only root may ask: to other users none is.
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
