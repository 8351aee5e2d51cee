package sluice.fs.device;

import java.io.IOException;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.sys.Errno;

/// Performs the checks that are common to all devices. This class is stateless and thread-safe.
public final class Transfers {
  private Transfers() {}

  /// Checks a transfer.
  ///
  /// @throws IllegalArgumentException if the transfer does not consist of whole sectors
  /// @throws FsException `EIO` if the transfer extends beyond the end of the device
  public static void check(BlockDevice device, long position, int bytes) throws FsException {
    int mask = device.sectorBytes() - 1;
    if ((position & mask) != 0 || (bytes & mask) != 0 || bytes < 0 || position < 0) {
      throw new IllegalArgumentException(
          "a transfer is made of whole sectors of "
              + device.sectorBytes()
              + " bytes, not "
              + bytes
              + " at "
              + position);
    }
    if (position > device.lengthBytes() - bytes) {
      throw FsException.of(
          Errno.EIO,
          bytes + " bytes at " + position + " of a device of " + device.lengthBytes() + " bytes");
    }
  }

  /// Checks a write. In addition to the checks of [#check], the device must be writable.
  public static void checkWrite(BlockDevice device, long position, int bytes) throws IOException {
    if (device.readOnly()) {
      throw FsException.of(Errno.EROFS, "write to a device that was opened for reading");
    }
    check(device, position, bytes);
  }
}
