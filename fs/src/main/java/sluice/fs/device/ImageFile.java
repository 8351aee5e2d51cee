package sluice.fs.device;

import java.io.IOException;
import java.nio.file.Path;
import sluice.fs.FsException;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.RecordLocks;
import sluice.sys.Statx;
import sluice.sys.SysException;

/// An image file or block device that was opened exclusively for this process. Instances are
/// immutable, except that the owner calls [#close] once. Until then, the descriptor may be used by
/// any thread.
///
/// @param sectorBytes the unit of direct transfers, which is the logical sector size of a block
///   device, or 512 for a file
public record ImageFile(Path path, int fd, long lengthBytes, int sectorBytes, boolean readOnly) {
  /// The position of the byte that is locked while a mount serves the image. It is far beyond the
  /// end of any image.
  private static final long SERVED = 1L << 62;

  /// Opens an image.
  ///
  /// @param flags additional `O_` bits, such as `O_DIRECT`
  static ImageFile open(Path path, boolean readOnly, int flags) throws IOException {
    int access = (readOnly ? Files.O_RDONLY : Files.O_RDWR) | flags;
    Statx status = new Statx();
    SysException.check(
        Files.statx(Files.AT_FDCWD, path.toString(), 0, Statx.STATX_BASIC_STATS, status),
        "statx",
        path);
    boolean device = (status.mode() & Statx.S_IFMT) == Statx.S_IFBLK;
    if (!device && !status.isRegularFile()) {
      throw FsException.of(
          Errno.EINVAL, path + " is neither a file nor a block device; Fix: name an image");
    }
    // O_EXCL without O_CREAT fails if the device is mounted or was opened in the same way by
    // another program.
    int exclusive = device ? Files.O_EXCL : 0;
    int fd =
        (int)
            SysException.check(
                Files.openat(Files.AT_FDCWD, path.toString(), access | exclusive, 0),
                "openat",
                path,
                readOnly ? "O_RDONLY" : "O_RDWR");
    try {
      return device ? ofDevice(path, fd, readOnly) : ofFile(path, fd, readOnly, status);
    } catch (IOException refused) {
      Files.close(fd);
      throw refused;
    }
  }

  private static ImageFile ofDevice(Path path, int fd, boolean readOnly) throws IOException {
    long bytes = SysException.check(Files.blockDeviceBytes(fd), "ioctl", path, "BLKGETSIZE64");
    long sector = SysException.check(Files.blockDeviceSectorBytes(fd), "ioctl", path, "BLKSSZGET");
    return new ImageFile(path, fd, bytes, (int) sector, readOnly);
  }

  private static ImageFile ofFile(Path path, int fd, boolean readOnly, Statx status)
      throws IOException {
    int lock = (readOnly ? Files.LOCK_SH : Files.LOCK_EX) | Files.LOCK_NB;
    SysException.check(Files.flock(fd, lock), "flock", path, readOnly ? "LOCK_SH" : "LOCK_EX");
    SysException.check(Files.statx(fd, Statx.STATX_BASIC_STATS, status), "statx", path);
    LoopDevices.refuse(path, readOnly, status.size());
    return new ImageFile(path, fd, status.size(), 512, readOnly);
  }

  static void serve(int fd, Path path) throws IOException {
    SysException.check(RecordLocks.share(fd, SERVED), "fcntl", path, "F_OFD_SETLK");
  }

  public static boolean isServed(Path path) throws IOException {
    int fd =
        (int)
            SysException.check(
                Files.openat(Files.AT_FDCWD, path.toString(), Files.O_RDONLY, 0), "openat", path);
    try {
      int held = RecordLocks.isHeld(fd, SERVED);
      return SysException.check(held, "fcntl", path, "F_OFD_GETLK") > 0;
    } finally {
      Files.close(fd);
    }
  }

  void close() {
    Files.close(fd);
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
