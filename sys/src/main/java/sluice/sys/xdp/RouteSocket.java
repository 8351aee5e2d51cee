package sluice.sys.xdp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.Files;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;
import sluice.sys.SysException;
import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// An rtnetlink socket that reports every change of an interface or an IPv4 address in its network
/// namespace, together with a cursor over the messages that were read. It may be used by only one
/// thread at a time.
///
/// To receive messages, call [#read] until it returns a negative errno, and after each read call
/// [#next] until it returns false. The descriptor is non-blocking. If a message has an inconsistent
/// length, the rest of the read is discarded. Messages that were not sent by the kernel are
/// ignored.
public final class RouteSocket implements AutoCloseable {
  static final int AF_NETLINK = 16;
  static final int NETLINK_ROUTE = 0;
  static final int RTMGRP_LINK = 1;
  static final int RTMGRP_IPV4_IFADDR = 0x10;
  static final int NLM_F_REQUEST = 1;
  static final int NLM_F_DUMP = 0x300;

  public static final int NLMSG_ERROR = 2;
  public static final int NLMSG_DONE = 3;
  public static final int RTM_NEWLINK = 16;
  public static final int RTM_DELLINK = 17;
  static final int RTM_GETLINK = 18;
  public static final int RTM_NEWADDR = 20;
  public static final int RTM_DELADDR = 21;
  static final int RTM_GETADDR = 22;

  static final int IFLA_ADDRESS = 1;
  static final int IFLA_MTU = 4;
  static final int IFA_LOCAL = 2;

  /// Flags of [#flags] indicating that the interface is up ([#IFF_UP]), and that its cable is
  /// connected ([#IFF_RUNNING]).
  public static final int IFF_UP = 1;

  public static final int IFF_RUNNING = 0x40;

  private static final int SOCK_RAW = 3;
  private static final int BUFFER_BYTES = 32 << 10;
  private static final int MAC_BYTES = 6;
  private static final String OPEN = "RouteSocket.open";

  private final int fd;
  private final MemorySegment buffer;
  private final MemorySegment sender;
  private final MemorySegment senderBytes;
  private int filled;
  private int next;
  private int type;
  private int index;
  private int flags;
  private int mtu;
  private int address;
  private long mac;
  private int error;
  private boolean closed;

  private RouteSocket(int fd, int bufferBytes) {
    this.fd = fd;
    buffer = Arena.ofAuto().allocate(bufferBytes, Integer.BYTES);
    sender = Arena.ofAuto().allocate(SockaddrNl.LAYOUT.sizeBytes(), Integer.BYTES);
    senderBytes = Arena.ofAuto().allocate(JAVA_INT);
  }

  /// Opens a socket in the namespace of the calling thread. Requires no privilege.
  public static RouteSocket open() throws SysException {
    int kind = SOCK_RAW | Sockets.SOCK_NONBLOCK;
    RouteSocket made =
        new RouteSocket(Sockets.socket(AF_NETLINK, kind, NETLINK_ROUTE), BUFFER_BYTES);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocate(SockaddrNl.LAYOUT.sizeBytes(), Integer.BYTES);
      name.set(JAVA_SHORT, SockaddrNl.FAMILY, (short) AF_NETLINK);
      name.set(JAVA_INT, SockaddrNl.GROUPS, RTMGRP_LINK | RTMGRP_IPV4_IFADDR);
      long _ = SysException.check(Sockets.bind(made.fd, name), OPEN, "rtnetlink");
    } catch (SysException | RuntimeException e) {
      made.close();
      throw e;
    }
    return made;
  }

  /// Returns a cursor over bytes, without a socket. For tests.
  static RouteSocket over(byte[] messages) {
    RouteSocket made = new RouteSocket(-1, Math.max(1, messages.length));
    MemorySegment.copy(messages, 0, made.buffer, JAVA_BYTE, 0, messages.length);
    made.filled = messages.length;
    return made;
  }

  /// Requests the current state of an interface. The answer is an [#RTM_NEWLINK] message or an
  /// [#NLMSG_ERROR].
  ///
  /// @return 0 or a negative errno
  public int askLink(int interfaceIndex) {
    try (Arena arena = Arena.ofConfined()) {
      int bytes = NlMsgHdr.SIZE + IfInfoMsg.SIZE;
      MemorySegment message = request(arena, bytes, RTM_GETLINK, NLM_F_REQUEST);
      message.set(JAVA_INT, NlMsgHdr.SIZE + IfInfoMsg.INDEX, interfaceIndex);
      return send(message);
    }
  }

  /// Requests all IPv4 addresses. The answer consists of an [#RTM_NEWADDR] message for each
  /// address, followed by [#NLMSG_DONE].
  ///
  /// @return 0 or a negative errno
  public int askAddresses() {
    try (Arena arena = Arena.ofConfined()) {
      int bytes = NlMsgHdr.SIZE + IfAddrMsg.SIZE;
      MemorySegment message = request(arena, bytes, RTM_GETADDR, NLM_F_REQUEST | NLM_F_DUMP);
      message.set(JAVA_BYTE, NlMsgHdr.SIZE + IfAddrMsg.FAMILY, (byte) SocketAddresses.AF_INET);
      return send(message);
    }
  }

  private static MemorySegment request(Arena arena, int bytes, int type, int flags) {
    MemorySegment message = arena.allocate(bytes, Integer.BYTES);
    message.set(JAVA_INT, NlMsgHdr.LEN, bytes);
    message.set(JAVA_SHORT, NlMsgHdr.TYPE, (short) type);
    message.set(JAVA_SHORT, NlMsgHdr.FLAGS, (short) flags);
    return message;
  }

  private int send(MemorySegment message) {
    int dontWait = Sockets.MSG_DONTWAIT;
    long sent =
        Kernel.callWithBuffer(SystemCall.SENDTO, fd, message, message.byteSize(), dontWait, 0, 0);
    return (int) Math.min(0, sent);
  }

  /// Reads the messages that have arrived, over which [#next] iterates.
  ///
  /// @return the number of bytes, which may be 0, or a negative errno, such as -EAGAIN if there are
  ///   no messages, or -ENOBUFS if messages were lost
  public int read() {
    next = 0;
    filled = 0;
    senderBytes.set(JAVA_INT, 0, (int) sender.byteSize());
    long came =
        Kernel.callWithBuffer(
            SystemCall.RECVFROM,
            fd,
            buffer,
            buffer.byteSize(),
            Sockets.MSG_DONTWAIT,
            sender.address(),
            senderBytes.address());
    boolean fromKernel = sender.get(JAVA_INT, SockaddrNl.PID) == 0;
    filled = came > 0 && fromKernel ? (int) came : 0;
    return came < 0 ? (int) came : filled;
  }

  /// Advances to the next message. Returns false if there is none.
  public boolean next() {
    if (filled - next < NlMsgHdr.SIZE) {
      return false;
    }
    int at = next;
    int bytes = buffer.get(JAVA_INT, at + NlMsgHdr.LEN);
    if (bytes < NlMsgHdr.SIZE || bytes > filled - at) {
      next = filled;
      return false;
    }
    next = Math.min(filled, at + aligned(bytes));
    type = buffer.get(JAVA_SHORT, at + NlMsgHdr.TYPE) & 0xffff;
    index = 0;
    flags = 0;
    mtu = 0;
    address = 0;
    mac = -1;
    error = 0;
    parse(at + NlMsgHdr.SIZE, at + bytes);
    return true;
  }

  private static int aligned(int bytes) {
    return (bytes + 3) & -4;
  }

  private void parse(int at, int end) {
    switch (type) {
      case RTM_NEWLINK, RTM_DELLINK -> {
        if (end - at >= IfInfoMsg.SIZE) {
          index = buffer.get(JAVA_INT, at + IfInfoMsg.INDEX);
          flags = buffer.get(JAVA_INT, at + IfInfoMsg.FLAGS);
          attributes(at + IfInfoMsg.SIZE, end, true);
        }
      }
      case RTM_NEWADDR, RTM_DELADDR -> {
        if (end - at >= IfAddrMsg.SIZE
            && buffer.get(JAVA_BYTE, at + IfAddrMsg.FAMILY) == SocketAddresses.AF_INET) {
          index = buffer.get(JAVA_INT, at + IfAddrMsg.INDEX);
          attributes(at + IfAddrMsg.SIZE, end, false);
        }
      }
      case NLMSG_ERROR -> error = end - at >= Integer.BYTES ? buffer.get(JAVA_INT, at) : 0;
      default -> {}
    }
  }

  private void attributes(int from, int end, boolean ofLink) {
    int at = from;
    while (end - at >= RtAttr.SIZE) {
      int bytes = buffer.get(JAVA_SHORT, at + RtAttr.LEN) & 0xffff;
      if (bytes < RtAttr.SIZE || bytes > end - at) {
        return;
      }
      int kind = buffer.get(JAVA_SHORT, at + RtAttr.TYPE) & 0xffff;
      int length = bytes - RtAttr.SIZE;
      if (ofLink && kind == IFLA_MTU && length == Integer.BYTES) {
        mtu = buffer.get(JAVA_INT, at + RtAttr.SIZE);
      } else if (ofLink && kind == IFLA_ADDRESS && length == MAC_BYTES) {
        mac = number(at + RtAttr.SIZE, MAC_BYTES);
      } else if (!ofLink && kind == IFA_LOCAL && length == Integer.BYTES) {
        address = (int) number(at + RtAttr.SIZE, Integer.BYTES);
      }
      at += aligned(bytes);
    }
  }

  private long number(int at, int bytes) {
    long value = 0;
    for (int i = 0; i < bytes; i++) {
      value = value << 8 | (buffer.get(JAVA_BYTE, at + i) & 0xff);
    }
    return value;
  }

  /// Returns the type of the message, which is an `RTM_…` or `NLMSG_…` constant.
  public int type() {
    return type;
  }

  /// Returns the index of the interface to which the message refers.
  public int index() {
    return index;
  }

  /// Returns the `IFF_` bits of the interface.
  public int flags() {
    return flags;
  }

  /// Returns the maximum packet length of the interface, or 0 if the message does not contain it.
  public int mtu() {
    return mtu;
  }

  /// Returns the 48-bit hardware address of the interface, or -1 if the message does not contain
  /// it.
  public long mac() {
    return mac;
  }

  /// Returns the IPv4 address that was added or removed in host byte order, or 0 if the message
  /// does not refer to an address.
  public int address() {
    return address;
  }

  /// Returns the errno of an [#NLMSG_ERROR] message, which is negative.
  public int error() {
    return error;
  }

  /// Closes the socket. This method is idempotent.
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      if (fd >= 0) {
        int _ = Files.close(fd);
      }
    }
  }
}
