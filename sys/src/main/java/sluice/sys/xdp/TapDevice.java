package sluice.sys.xdp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.Files;
import sluice.sys.SysException;
import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// A TAP device: an Ethernet interface of the kernel whose cable ends at a descriptor. Reading the
/// descriptor returns a frame that the kernel has sent; writing passes a frame for the kernel to
/// receive. Safe for use by any thread.
public final class TapDevice {
  static final long TUNSETIFF = 0x4004_54caL;
  static final int IFF_TAP = 2;
  static final int IFF_NO_PI = 0x1000;

  private TapDevice() {}

  /// Opens a device, or creates it if there is none of this name. A created device disappears when
  /// the descriptor is closed.
  ///
  /// @return a non-blocking descriptor
  /// @throws SysException EPERM, EACCES: the device belongs to another user, or may not be created;
  ///   EBUSY: another process has it open; ENOENT: the kernel or the container has no TAP devices
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
