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

/// Opens block devices. Any thread may call.
public final class BlockDevices {
  private BlockDevices() {}

  /// A device in memory, all zeros, gone when it is closed.
  ///
  /// @param bytes size, a multiple of 512
  public static BlockDevice memory(long bytes) throws IOException {
    return MemoryDevice.create(bytes);
  }

  /// An image file or a block device, through the page cache of the kernel.
  ///
  /// For us alone: another process that opens it the same way, or has it mounted, is refused and
  /// refuses us.
  ///
  /// @throws IOException with call, errno and remedy; `EAGAIN` or `EBUSY` when it is in use
  public static BlockDevice file(Path path, boolean readOnly) throws IOException {
    return FileDevice.open(path, readOnly);
  }

  /// Notes that a mount serves an open device, until the device is closed: [#isServed] says so to
  /// other processes, which cannot see it at the lock. Where it can, also puts a loop device over
  /// it, for the kernel to mount from.
  public static ServedDevice serve(BlockDevice device) throws IOException {
    return ServedDevice.of(device);
  }

  /// Whether a device of an image is open that was given to [#serve], here or in another process.
  public static boolean isServed(Path path) throws IOException {
    return ImageFile.isServed(path);
  }

  /// A device over another one: what is written stays in memory, and is gone when it is closed. The
  /// device below stays its owner's.
  ///
  /// @param mostBytes kept at most; beyond it a write is `ENOMEM`
  public static BlockDevice scratch(BlockDevice below, long mostBytes) {
    return new ScratchDevice(below, mostBytes);
  }

  /// As [#file], past the page cache of the kernel and with many transfers at a time: `O_DIRECT`
  /// and io_uring. Where one of them is missing, another way is taken, and `notice` is told why.
  public static BlockDevice direct(Path path, boolean readOnly, Consumer<String> notice)
      throws IOException {
    return UringDevice.open(path, readOnly, notice);
  }
}
