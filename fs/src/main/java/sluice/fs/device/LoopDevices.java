package sluice.fs.device;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// Detects images that are used by the kernel through a loop device, as with `mount -o loop`. Loop
/// devices ignore file locks, so two writers could otherwise change the same blocks. This class is
/// stateless and thread-safe.
///
/// Loop devices are identified by the path of their file. Therefore an image may be rejected
/// because of a loop device of another container whose file has the same path and size. A
/// [LoopAttachment] is ignored, because if the lock of its image is free, the server that created
/// it must have been killed.
final class LoopDevices {
  private static final Path ALL = Path.of("/sys/block");
  private static final int SECTOR_BYTES = 512;

  /// The maximum number of attempts. After an unmount, other programs (udev) may use the device for
  /// a short time.
  private static final int TRIES = 30;

  private static final long PAUSE_NANOS = 100_000_000L;

  private LoopDevices() {}

  /// Checks that an image is not used by a loop device.
  ///
  /// @param readOnly true if the caller only reads the image, which is compatible with a read-only
  ///   loop device
  /// @throws FsException `EBUSY` if the file is used by a loop device
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
