package sluice.fs.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import sluice.fs.block.BlockDevice;
import sluice.fs.device.FileDevice;
import sluice.fs.device.ImageFile;
import sluice.fs.device.MemoryDevice;
import sluice.fs.device.ScratchDevice;
import sluice.fs.device.UringDevice;

/// Opens block devices. This class is thread-safe.
public final class BlockDevices {
  private BlockDevices() {}

  /// Creates a device in memory that is filled with zeros. Its content is lost when the device is
  /// closed.
  ///
  /// @param bytes the size, a multiple of 512
  public static BlockDevice memory(long bytes) throws IOException {
    return MemoryDevice.create(bytes);
  }

  /// Opens an image file or a block device through the kernel's page cache.
  ///
  /// The device is opened exclusively. Another process cannot open it in the same way or mount it,
  /// and this method fails if another process is already using the image in this way.
  ///
  /// @throws IOException with the call, the errno and a remedy; the errno is `EAGAIN` or `EBUSY` if
  ///   the image is in use
  public static BlockDevice file(Path path, boolean readOnly) throws IOException {
    return FileDevice.open(path, readOnly);
  }

  /// Declares that an open device is served by a mount until it is closed. [#isServed] reports this
  /// to other processes, which cannot determine it from the lock. If possible, this method also
  /// attaches a loop device from which the kernel can mount the image.
  public static ServedDevice serve(BlockDevice device) throws IOException {
    return ServedDevice.of(device);
  }

  /// Returns true if a device of an image is open and was passed to [#serve], either in this
  /// process or in another process.
  public static boolean isServed(Path path) throws IOException {
    return ImageFile.isServed(path);
  }

  /// Creates a device on top of another device. Writes are kept in memory and are discarded when
  /// the device is closed. The caller retains ownership of the underlying device.
  ///
  /// @param mostBytes the maximum amount of memory; a write that would exceed it fails with
  ///   `ENOMEM`
  public static BlockDevice scratch(BlockDevice below, long mostBytes) {
    return new ScratchDevice(below, mostBytes);
  }

  /// Opens a device like [#file], but bypasses the kernel's page cache and performs many transfers
  /// concurrently, using `O_DIRECT` and io_uring. If either of them is not available, a fallback is
  /// used, and `notice` receives the reason.
  public static BlockDevice direct(Path path, boolean readOnly, Consumer<String> notice)
      throws IOException {
    return UringDevice.open(path, readOnly, notice);
  }
}
