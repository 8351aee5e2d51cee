package sluice.fs.device;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// Detects images that the kernel uses through a loop device, as with `mount -o loop`. Loop devices
/// ignore file locks, so two writers would change the same blocks. Stateless and safe for use by
/// any thread.
///
/// Loop devices are identified by the path of their file. So an image may be rejected because of a
/// loop device of another container, if path and size are the same. A [LoopAttachment] is harmless:
/// if the lock of its image is free, the server that created it was killed.
final class LoopDevices {
  private static final Path ALL = Path.of("/sys/block");
  private static final int SECTOR_BYTES = 512;

  /// The number of attempts. After an unmount, other programs (udev) may briefly use the device.
  private static final int TRIES = 30;

  private static final long PAUSE_NANOS = 100_000_000L;

  private LoopDevices() {}

  /// Rejects an image that a loop device uses.
  ///
  /// @param readOnly true if the caller only reads, which is compatible with a read-only loop
  ///   device
  /// @throws FsException `EBUSY` if a loop device uses the file
  static void refuse(Path image, boolean readOnly, long bytes) throws IOException {
    Path real = image.toRealPath();
    String loop = over(real, readOnly, bytes);
    for (int i = 1; loop != null && i < TRIES; i++) {
      LockSupport.parkNanos(PAUSE_NANOS);
      loop = over(real, readOnly, bytes);
    }
    if (loop != null) {
      throw FsException.of(
          Errno.EBUSY,
          image
              + " is behind /dev/"
              + loop
              + ", and two would destroy it; Fix: umount what /proc/mounts shows for it, or"
              + " losetup -d /dev/"
              + loop);
    }
  }

  private static @Nullable String over(Path image, boolean readOnly, long bytes)
      throws IOException {
    if (!Files.isDirectory(ALL)) {
      return null;
    }
    try (DirectoryStream<Path> devices = Files.newDirectoryStream(ALL, "loop*")) {
      for (Path device : devices) {
        boolean same = image.toString().equals(text(device.resolve("loop/backing_file")));
        if (same
            && text(device.resolve("size")).equals(Long.toString(bytes / SECTOR_BYTES))
            && !(readOnly && text(device.resolve("ro")).equals("1"))
            && !LoopAttachment.isOurs("/dev/" + device.getFileName())) {
          return String.valueOf(device.getFileName());
        }
      }
    }
    return null;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      return ""; // no file is attached, or not any more
    }
  }
}
