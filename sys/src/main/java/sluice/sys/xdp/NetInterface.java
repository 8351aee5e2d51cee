package sluice.sys.xdp;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;
import sluice.sys.SysException;
import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// A network interface in the namespace of the calling thread. Unlike `java.net.NetworkInterface`,
/// this class also finds interfaces that have no address. Instances are immutable and thread-safe.
///
/// @param index the kernel's index of the interface
/// @param mtu the maximum length of a packet in bytes
/// @param macAddress the hardware address, 48 bits
public record NetInterface(int index, int mtu, long macAddress) {
  static final long SIOCGIFMTU = 0x8921;
  static final long SIOCGIFHWADDR = 0x8927;
  static final long SIOCGIFINDEX = 0x8933;
  static final long SIOCETHTOOL = 0x8946;
  static final int ETHTOOL_GCHANNELS = 0x3c;
  static final int ARPHRD_ETHER = 1;

  private static final String CALL = "ioctl";
  private static final int MAC_BYTES = 6;

  /// Finds an interface by its name.
  ///
  /// @throws SysException ENODEV if the interface does not exist, or EAFNOSUPPORT if it is not an
  ///   Ethernet interface
  public static NetInterface named(String name) throws SysException {
    int fd = Sockets.socket(SocketAddresses.AF_INET, Sockets.SOCK_DGRAM | Sockets.SOCK_CLOEXEC, 0);
    try (Arena arena = Arena.ofConfined()) {
      int index = ask(fd, IfReq.of(arena, name, 0), SIOCGIFINDEX, name);
      int mtu = ask(fd, IfReq.of(arena, name, 0), SIOCGIFMTU, name);
      MemorySegment hardware = IfReq.of(arena, name, 0);
      int _ = ask(fd, hardware, SIOCGIFHWADDR, name);
      if (hardware.get(JAVA_SHORT, IfReq.IFR_IFRU) != ARPHRD_ETHER) {
        throw SysException.of(Errno.EAFNOSUPPORT, CALL, "SIOCGIFHWADDR", name);
      }
      long address = 0;
      for (int i = 0; i < MAC_BYTES; i++) {
        address = address << 8 | (hardware.get(JAVA_BYTE, IfReq.IFR_IFRU + 2 + i) & 0xff);
      }
      return new NetInterface(index, mtu, address);
    } finally {
      int _ = Files.close(fd);
    }
  }

  /// Returns the number of receive queues.
  ///
  /// @return the number of queues, or 0 if it is not reported by the driver
  public static int queues(String name) throws SysException {
    int fd = Sockets.socket(SocketAddresses.AF_INET, Sockets.SOCK_DGRAM | Sockets.SOCK_CLOEXEC, 0);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment channels = arena.allocate(EthtoolChannels.LAYOUT.sizeBytes(), Integer.BYTES);
      channels.set(JAVA_INT, EthtoolChannels.CMD, ETHTOOL_GCHANNELS);
      MemorySegment request = IfReq.of(arena, name, 0);
      request.set(ADDRESS, IfReq.IFR_IFRU, channels);
      if (Kernel.call(SystemCall.IOCTL, fd, SIOCETHTOOL, request.address()) < 0) {
        return 0;
      }
      return channels.get(JAVA_INT, EthtoolChannels.RX_COUNT)
          + channels.get(JAVA_INT, EthtoolChannels.COMBINED_COUNT);
    } finally {
      int _ = Files.close(fd);
    }
  }

  private static int ask(int fd, MemorySegment request, long what, String name)
      throws SysException {
    long result = Kernel.call(SystemCall.IOCTL, fd, what, request.address());
    long _ = SysException.check(result, CALL, "0x" + Long.toHexString(what), name);
    return request.get(JAVA_INT, IfReq.IFR_IFRU);
  }
}
