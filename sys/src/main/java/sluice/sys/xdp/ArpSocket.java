package sluice.sys.xdp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import sluice.sys.Files;
import sluice.sys.Sockets;
import sluice.sys.SysException;
import sluice.sys.call.Kernel;
import sluice.sys.call.Ranges;
import sluice.sys.call.SystemCall;

/// A packet socket that receives a copy of each ARP frame that an interface passes to the kernel.
/// The kernel still processes the frame itself. The socket may be used by only one thread at a
/// time. Frames that have not been read are queued, and when a few hundred are queued, further
/// frames are dropped.
public final class ArpSocket implements AutoCloseable {
  static final int AF_PACKET = 17;
  static final int ETH_P_ARP = 0x0806;

  private static final int SOCK_RAW = 3;
  private static final int BUFFER_BYTES = 128 << 10;
  private static final String OPEN = "ArpSocket.open";

  private final int fd;
  private boolean closed;

  private ArpSocket(int fd) {
    this.fd = fd;
  }

  /// Opens a socket for a single interface.
  ///
  /// @throws SysException EPERM if the process does not have CAP_NET_RAW
  public static ArpSocket open(int interfaceIndex) throws SysException {
    // With protocol 0, no frame is received until bind() has selected the interface.
    long opened = Kernel.call(SystemCall.SOCKET, AF_PACKET, SOCK_RAW | Sockets.SOCK_CLOEXEC, 0);
    ArpSocket made = new ArpSocket((int) SysException.check(opened, OPEN, "AF_PACKET"));
    try (Arena arena = Arena.ofConfined()) {
      Sockets.setsockopt(made.fd, Sockets.SOL_SOCKET, Sockets.SO_RCVBUF, BUFFER_BYTES);
      MemorySegment name = arena.allocate(SockaddrLl.LAYOUT.sizeBytes(), Integer.BYTES);
      short type = (short) ETH_P_ARP;
      boolean reversed = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
      name.set(JAVA_SHORT, SockaddrLl.FAMILY, (short) AF_PACKET);
      name.set(JAVA_SHORT, SockaddrLl.PROTOCOL, reversed ? Short.reverseBytes(type) : type);
      name.set(JAVA_INT, SockaddrLl.IFINDEX, interfaceIndex);
      long _ = SysException.check(Sockets.bind(made.fd, name), OPEN, interfaceIndex);
    } catch (SysException | RuntimeException e) {
      made.close();
      throw e;
    }
    return made;
  }

  /// Reads the next frame if there is one.
  ///
  /// @return the length of the frame, which is truncated to `room` bytes, or -EAGAIN, -ENETDOWN, …
  public int read(MemorySegment into, long at, int room) {
    long address = Ranges.writable(into, at, room);
    return (int)
        Kernel.callHolding(
            into, SystemCall.RECVFROM, fd, address, room, Sockets.MSG_DONTWAIT, 0, 0);
  }

  /// Closes the socket. This method is idempotent.
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      int _ = Files.close(fd);
    }
  }
}
