package sluice.sys.xdp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.Files;
import sluice.sys.SysException;
import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// A TAP device, which is an Ethernet interface of the kernel that is connected to a descriptor.
/// Reading from the descriptor returns a frame that was sent by the kernel, and writing to it
/// passes a frame to the kernel for reception. This class is thread-safe.
public final class TapDevice {
  static final long TUNSETIFF = 0x4004_54caL;
  static final int IFF_TAP = 2;
  static final int IFF_NO_PI = 0x1000;

  private TapDevice() {}

  /// Opens a device, or creates it if there is no device with this name. A device that was created
  /// is deleted when the descriptor is closed.
  ///
  /// @return a non-blocking descriptor
  /// @throws SysException EPERM or EACCES if the device belongs to another user or may not be
  ///   created, EBUSY if it is open in another process, or ENOENT if the kernel or the container
  ///   does not support TAP devices
  public static int open(String name) throws SysException {
    int flags = Files.O_RDWR | Files.O_NONBLOCK;
    String device = "/dev/net/tun";
    int fd =
        (int)
            SysException.check(
                Files.openat(Files.AT_FDCWD, device, flags, 0), "TapDevice.open", device);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment request = IfReq.of(arena, name, IFF_TAP | IFF_NO_PI);
      long result = Kernel.call(SystemCall.IOCTL, fd, TUNSETIFF, request.address());
      long _ = SysException.check(result, "TapDevice.open", name);
    } catch (SysException | RuntimeException e) {
      int _ = Files.close(fd);
      throw e;
    }
    return fd;
  }
}
