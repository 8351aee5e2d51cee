package sluice.fs.device;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// Image files that the kernel uses through a loop device, as `mount -o loop` does: it knows
/// nothing of locks of files, so two would write the same blocks. Stateless; any thread may call.
///
/// Loop devices are told apart by the path of their file, so a container may be refused an image
/// because of the loop device of another one whose path and size are the same. A [LoopAttachment]
/// of ours does no harm: where the image's lock is free, the server that made it was killed.
final class LoopDevices {
  private static final Path ALL = Path.of("/sys/block");
  private static final int SECTOR_BYTES = 512;

  /// After an unmount, others (udev) may look at the device for a moment.
  private static final int TRIES = 30;

  private static final long PAUSE_NANOS = 100_000_000L;

  private LoopDevices() {}

  /// @param readOnly whether the caller only reads, which is fine beside a device that only reads
  /// @throws FsException `EBUSY` when a loop device is over the file
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
      return ""; // no file is behind it, or no longer
    }
  }
}
