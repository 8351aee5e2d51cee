package sluice.sys.xdp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import sluice.sys.Files;
import sluice.sys.Mapping;
import sluice.sys.Sockets;
import sluice.sys.SysException;
import sluice.sys.call.Kernel;
import sluice.sys.call.Ranges;
import sluice.sys.call.SystemCall;

/// An AF_XDP socket, which consists of four rings over frames in the memory of the process and
/// serves a single queue of an interface. It is opened, bound and owned by one thread.
///
/// The kernel keeps the pages of the memory until the socket is closed. After [#close] has
/// returned, it does not write to them any more.
public final class XdpSocket implements AutoCloseable {
  public static final int XDP_COPY = 2;
  public static final int XDP_ZEROCOPY = 4;
  public static final int XDP_USE_NEED_WAKEUP = 8;

  /// A flag of [#bind] indicating that a packet may occupy several frames (Linux 6.6). See
  /// [XdpDesc#XDP_PKT_CONTD].
  public static final int XDP_USE_SG = 0x10;

  static final int AF_XDP = 44;
  static final int SOL_XDP = 283;
  static final int XDP_MMAP_OFFSETS = 1;
  static final int XDP_RX_RING = 2;
  static final int XDP_TX_RING = 3;
  static final int XDP_UMEM_REG = 4;
  static final int XDP_UMEM_FILL_RING = 5;
  static final int XDP_UMEM_COMPLETION_RING = 6;
  static final int XDP_STATISTICS = 7;
  static final long XDP_PGOFF_RX_RING = 0;
  static final long XDP_PGOFF_TX_RING = 0x8000_0000L;
  static final long XDP_UMEM_PGOFF_FILL_RING = 0x1_0000_0000L;
  static final long XDP_UMEM_PGOFF_COMPLETION_RING = 0x1_8000_0000L;

  private static final int SOCK_RAW = 3;
  private static final String OPEN = "XdpSocket.open";

  private final int fd;

  /// The memory for the errno of the calls that are made while packets are processed.
  private final MemorySegment errno = Kernel.newErrno(Arena.ofAuto());

  private final MemorySegment statistics =
      Arena.ofAuto().allocate(XdpStatistics.LAYOUT.sizeBytes(), Long.BYTES);

  private final List<XdpRing> rings = new ArrayList<>();
  private boolean closed;

  private XdpSocket(int fd) {
    this.fd = fd;
  }

  /// Opens a socket and maps its rings.
  ///
  /// @param memory the frames, which must consist of whole pages that remain valid until the socket
  ///   is closed
  /// @param frameBytes 2048 or 4096
  /// @param entries the number of entries of each ring, a power of two
  /// @throws SysException EPERM if the process does not have CAP_NET_RAW, ENOBUFS if the limit on
  ///   locked memory is exceeded, or EAFNOSUPPORT if the kernel does not support AF_XDP
  public static XdpSocket open(MemorySegment memory, int frameBytes, int entries)
      throws SysException {
    long opened = Kernel.call(SystemCall.SOCKET, AF_XDP, SOCK_RAW | Sockets.SOCK_CLOEXEC, 0);
    XdpSocket made = new XdpSocket((int) SysException.check(opened, OPEN, "AF_XDP"));
    try {
      made.register(memory, frameBytes);
      made.mapRings(entries);
      return made;
    } catch (SysException | RuntimeException e) {
      made.close();
      throw e;
    }
  }

  private void register(MemorySegment memory, int frameBytes) throws SysException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment region = arena.allocate(XdpUmemReg.LAYOUT.sizeBytes(), Long.BYTES);
      region.set(JAVA_LONG, XdpUmemReg.ADDR, Ranges.writable(memory, 0, memory.byteSize()));
      region.set(JAVA_LONG, XdpUmemReg.LEN, memory.byteSize());
      region.set(JAVA_INT, XdpUmemReg.CHUNK_SIZE, frameBytes);
      int result = Sockets.setsockopt(fd, SOL_XDP, XDP_UMEM_REG, region);
      long _ = SysException.check(result, OPEN, "XDP_UMEM_REG", memory.byteSize());
    }
  }

  private void mapRings(int entries) throws SysException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment size = arena.allocateFrom(JAVA_INT, entries);
      int[] options = {XDP_RX_RING, XDP_TX_RING, XDP_UMEM_FILL_RING, XDP_UMEM_COMPLETION_RING};
      for (int option : options) {
        int result = Sockets.setsockopt(fd, SOL_XDP, option, size);
        long _ = SysException.check(result, OPEN, "ring " + option, entries);
      }
      MemorySegment offsets = arena.allocate(XdpMmapOffsets.LAYOUT.sizeBytes(), Long.BYTES);
      int told = Sockets.getsockopt(fd, SOL_XDP, XDP_MMAP_OFFSETS, offsets);
      long _ = SysException.check(told, OPEN, "XDP_MMAP_OFFSETS");
      map(XDP_PGOFF_RX_RING, offsets, XdpMmapOffsets.RX, entries, XdpDesc.SIZE);
      map(XDP_PGOFF_TX_RING, offsets, XdpMmapOffsets.TX, entries, XdpDesc.SIZE);
      map(XDP_UMEM_PGOFF_FILL_RING, offsets, XdpMmapOffsets.FR, entries, Long.BYTES);
      map(XDP_UMEM_PGOFF_COMPLETION_RING, offsets, XdpMmapOffsets.CR, entries, Long.BYTES);
    }
  }

  private void map(long pageOffset, MemorySegment offsets, long at, int entries, int entryBytes)
      throws SysException {
    rings.add(XdpRing.map(fd, pageOffset, offsets, at, entries, entryBytes));
  }

  /// Binds the socket to a queue. The fill ring should already contain frames.
  ///
  /// @param flags [#XDP_COPY] or [#XDP_ZEROCOPY], optionally combined with [#XDP_USE_NEED_WAKEUP]
  ///   and [#XDP_USE_SG]
  /// @return 0, or -EBUSY (also for some milliseconds after the previous owner has closed its
  ///   socket), -EOPNOTSUPP (zero-copy mode is not supported), -ENODEV, -EINVAL (the queue does not
  ///   exist), …
  public int bind(int interfaceIndex, int queue, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocate(SockaddrXdp.LAYOUT.sizeBytes(), Integer.BYTES);
      name.set(JAVA_SHORT, SockaddrXdp.FAMILY, (short) AF_XDP);
      name.set(JAVA_SHORT, SockaddrXdp.FLAGS, (short) flags);
      name.set(JAVA_INT, SockaddrXdp.IFINDEX, interfaceIndex);
      name.set(JAVA_INT, SockaddrXdp.QUEUE_ID, queue);
      return Sockets.bind(fd, name);
    }
  }

  public XdpRing receiveRing() {
    return rings.get(0);
  }

  public XdpRing transmitRing() {
    return rings.get(1);
  }

  public XdpRing fillRing() {
    return rings.get(2);
  }

  public XdpRing completionRing() {
    return rings.get(3);
  }

  public int descriptor() {
    return fd;
  }

  /// Wakes the kernel to process the transmit ring.
  ///
  /// @return 0 or a negative errno, which is -EAGAIN, -EBUSY or -ENOBUFS if not all frames have
  ///   been sent
  public int wakeTransmit() {
    return (int) Kernel.call(errno, SystemCall.SENDTO, fd, 0, 0, Sockets.MSG_DONTWAIT, 0, 0);
  }

  /// Wakes the kernel to process the fill ring.
  ///
  /// @return 0 or a negative errno
  public int wakeReceive() {
    return (int) Kernel.call(errno, SystemCall.RECVFROM, fd, 0, 0, Sockets.MSG_DONTWAIT, 0, 0);
  }

  /// Returns the number of frames that were received for this socket and dropped by the kernel
  /// because they were too long, because no frame was available in the fill ring, or because the
  /// receive ring was full. Returns 0 if the kernel does not report this number.
  public long dropped() {
    int told = Sockets.getsockopt(fd, SOL_XDP, XDP_STATISTICS, statistics);
    long ringFull =
        told < XdpStatistics.LAYOUT.sizeBytes()
            ? 0
            : statistics.get(JAVA_LONG, XdpStatistics.RX_RING_FULL);
    return told < 0 ? 0 : statistics.get(JAVA_LONG, XdpStatistics.RX_DROPPED) + ringFull;
  }

  /// Closes the socket and unmaps its rings. This method is idempotent.
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      int _ = Files.close(fd);
      rings.stream().map(XdpRing::mapping).forEach(Mapping::close);
    }
  }
}
