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

/// Opens block devices. Safe for use by any thread.
public final class BlockDevices {
  private BlockDevices() {}

  /// Creates a device in memory, filled with zeros. Its content is lost when it is closed.
  ///
  /// @param bytes size, a multiple of 512
  public static BlockDevice memory(long bytes) throws IOException {
    return MemoryDevice.create(bytes);
  }

  /// Opens an image file or a block device through the kernel's page cache.
  ///
  /// The device is opened exclusively: another process cannot open it the same way or mount it, and
  /// an image that another process uses so cannot be opened.
  ///
  /// @throws IOException with call, errno and remedy; `EAGAIN` or `EBUSY` if it is in use
  public static BlockDevice file(Path path, boolean readOnly) throws IOException {
    return FileDevice.open(path, readOnly);
  }

  /// Declares that a mount serves an open device, until the device is closed. [#isServed] reports
  /// this to other processes, which cannot learn it from the lock. Where possible, it also attaches
  /// a loop device from which the kernel can mount.
  public static ServedDevice serve(BlockDevice device) throws IOException {
    return ServedDevice.of(device);
  }

  /// Returns true if a device of an image is open and was passed to [#serve], in this process or
  /// another.
  public static boolean isServed(Path path) throws IOException {
    return ImageFile.isServed(path);
  }

  /// Creates a device on top of another one. Writes stay in memory and are lost when it is closed.
  /// The caller keeps the device below.
  ///
  /// @param mostBytes the memory limit; a write beyond it fails with `ENOMEM`
  public static BlockDevice scratch(BlockDevice below, long mostBytes) {
    return new ScratchDevice(below, mostBytes);
  }

  /// Opens a device like [#file], but bypasses the kernel's page cache and runs many transfers at a
  /// time: `O_DIRECT` and io_uring. If one of them is missing, a fallback is used, and `notice`
  /// receives the reason.
  public static BlockDevice direct(Path path, boolean readOnly, Consumer<String> notice)
      throws IOException {
    return UringDevice.open(path, readOnly, notice);
  }
}
