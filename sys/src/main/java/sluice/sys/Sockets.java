package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import sluice.sys.call.Kernel;
import sluice.sys.call.Layout;
import sluice.sys.call.Ranges;
import sluice.sys.call.SystemCall;

/// System calls on sockets.
///
/// This class is stateless and thread-safe. Each descriptor has a single owner, which closes it
/// with [Files#close]. Calls that transfer data or that fail frequently return the result of the
/// kernel, which is a count or a negative errno. All other calls throw an exception.
///
/// Sockets that are used with a ring must be in blocking mode, because io_uring returns -EAGAIN for
/// a non-blocking descriptor instead of waiting. `MSG_DONTWAIT` can be used if a call must not
/// block.
public final class Sockets {
  public static final int SOCK_STREAM = 1;
  public static final int SOCK_DGRAM = 2;
  public static final int SOCK_SEQPACKET = 5;
  public static final int SOCK_NONBLOCK = 0x800;
  public static final int SOCK_CLOEXEC = 0x80000;

  public static final int SOL_SOCKET = 1;
  public static final int SO_REUSEADDR = 2;
  public static final int SO_TYPE = 3;
  public static final int SO_ERROR = 4;
  public static final int SO_SNDBUF = 7;
  public static final int SO_RCVBUF = 8;
  public static final int SO_BROADCAST = 6;
  public static final int SO_KEEPALIVE = 9;
  public static final int SO_OOBINLINE = 10;
  public static final int SO_LINGER = 13;
  public static final int SO_REUSEPORT = 15;
  public static final int SO_PEERCRED = 17;
  public static final int SO_ATTACH_FILTER = 26;
  public static final int SO_ACCEPTCONN = 30;
  public static final int SO_DOMAIN = 39;
  public static final int SO_BUSY_POLL = 46;
  public static final int SO_INCOMING_CPU = 49;
  public static final int SO_INCOMING_NAPI_ID = 56;

  public static final int IPPROTO_TCP = 6;
  public static final int TCP_NODELAY = 1;
  public static final int TCP_CORK = 3;
  public static final int TCP_KEEPIDLE = 4;
  public static final int TCP_KEEPINTVL = 5;
  public static final int TCP_KEEPCNT = 6;
  public static final int TCP_DEFER_ACCEPT = 9;
  public static final int TCP_INFO = 11;
  public static final int TCP_QUICKACK = 12;
  public static final int TCP_USER_TIMEOUT = 18;
  public static final int TCP_FASTOPEN = 23;
  public static final int TCP_NOTSENT_LOWAT = 25;

  /// The offset of `tcpi_bytes_acked` in `struct tcp_info` of `linux/tcp.h`, whose end is
  /// [#BYTES_ACKED_END]. The structure is extended by newer kernels, and the structure of the C
  /// library is shorter.
  static final int TCPI_BYTES_ACKED = 120;

  static final int BYTES_ACKED_END = TCPI_BYTES_ACKED + Long.BYTES;

  static final int TCPI_UNACKED = 24;
  static final int TCPI_NOTSENT = 144;
  private static final int NOTSENT_END = TCPI_NOTSENT + Integer.BYTES;

  public static final int IPPROTO_IP = 0;
  public static final int IP_TOS = 1;
  public static final int IP_PKTINFO = 8;
  public static final int IP_MTU_DISCOVER = 10;
  public static final int IP_PMTUDISC_DONT = 0;
  public static final int IP_PMTUDISC_DO = 2;
  public static final int IP_MULTICAST_IF = 32;
  public static final int IP_MULTICAST_TTL = 33;
  public static final int IP_MULTICAST_LOOP = 34;
  public static final int IP_MULTICAST_ALL = 49;

  public static final int IPPROTO_IPV6 = 41;
  public static final int IPV6_MULTICAST_IF = 17;
  public static final int IPV6_MULTICAST_HOPS = 18;
  public static final int IPV6_MULTICAST_LOOP = 19;
  public static final int IPV6_MTU_DISCOVER = 23;
  public static final int IPV6_V6ONLY = 26;
  public static final int IPV6_MULTICAST_ALL = 29;
  public static final int IPV6_RECVPKTINFO = 49;
  public static final int IPV6_TCLASS = 67;

  public static final int MSG_OOB = 1;
  public static final int MSG_PEEK = 2;
  public static final int MSG_TRUNC = 0x20;
  public static final int MSG_DONTWAIT = 0x40;
  public static final int MSG_WAITALL = 0x100;
  public static final int MSG_NOSIGNAL = 0x4000;
  public static final int MSG_MORE = 0x8000;

  public static final int SHUT_RD = 0;
  public static final int SHUT_WR = 1;
  public static final int SHUT_RDWR = 2;

  /// The size of the memory for the address of a peer and its length. See [#accept4(int, int,
  /// MemorySegment)].
  public static final int PEER_BYTES = SocketAddresses.STORAGE_BYTES + Long.BYTES;

  static final int AF_UNSPEC = 0;
  static final int FIONREAD = 0x541b;

  static final Layout LINGER_LAYOUT = Layout.of("struct linger");
  static final int L_ONOFF = LINGER_LAYOUT.u32("l_onoff");
  static final int L_LINGER = LINGER_LAYOUT.u32("l_linger");

  private Sockets() {}

  /// Opens a socket with close-on-exec.
  ///
  /// @param family an `AF_` constant of [SocketAddresses]
  /// @param type `SOCK_` bits
  /// @param protocol the protocol, or 0 for the default protocol
  /// @return the descriptor
  public static int socket(int family, int type, int protocol) throws SysException {
    long fd = Kernel.call(SystemCall.SOCKET, family, type | SOCK_CLOEXEC, protocol);
    return (int) SysException.check(fd, "socket", family, type, protocol);
  }

  /// Binds a socket to an address. If the port is 0, the kernel chooses a port.
  ///
  /// @throws SysException EADDRINUSE, EADDRNOTAVAIL or EACCES, with a remedy
  public static void bind(int fd, SocketAddress address) throws SysException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment encoded = SocketAddresses.encode(address, arena);
      long result = Kernel.callWithBuffer(SystemCall.BIND, fd, encoded, encoded.byteSize());
      SysException.check(result, "bind", fd, address);
    }
  }

  /// Starts listening for connections.
  ///
  /// @param backlog the maximum number of connections that are waiting to be accepted, which the
  ///   kernel limits to net.core.somaxconn
  public static void listen(int fd, int backlog) throws SysException {
    SysException.check(Kernel.call(SystemCall.LISTEN, fd, backlog), "listen", fd, backlog);
  }

  /// Accepts a connection.
  ///
  /// @param flags `SOCK_NONBLOCK` or 0; close-on-exec is always set
  /// @return the descriptor, or -EAGAIN, -EMFILE, -ECONNABORTED, …
  public static int accept4(int fd, int flags) {
    return (int) Kernel.call(SystemCall.ACCEPT4, fd, 0, 0, flags | SOCK_CLOEXEC);
  }

  /// Accepts a connection and stores the address of the peer for [#peer].
  ///
  /// @param peer memory of [#PEER_BYTES] bytes
  public static int accept4(int fd, int flags, MemorySegment peer) {
    Ranges.writable(peer, 0, PEER_BYTES);
    peer.set(JAVA_INT, SocketAddresses.STORAGE_BYTES, SocketAddresses.STORAGE_BYTES);
    long address = peer.address();
    long length = address + SocketAddresses.STORAGE_BYTES;
    return (int)
        Kernel.callHolding(peer, SystemCall.ACCEPT4, fd, address, length, flags | SOCK_CLOEXEC);
  }

  /// Returns the address that was stored by [#accept4(int, int, MemorySegment)], or null if the
  /// peer has no address.
  public static @Nullable SocketAddress peer(MemorySegment peer) {
    return SocketAddresses.decode(peer, peer.get(JAVA_INT, SocketAddresses.STORAGE_BYTES));
  }

  /// Binds a socket to an address that was encoded by [SocketAddresses].
  ///
  /// @return 0, or -EADDRINUSE, …
  public static int bind(int fd, MemorySegment address) {
    return (int) Kernel.callWithBuffer(SystemCall.BIND, fd, address, address.byteSize());
  }

  /// Connects a socket to an address that was encoded by [SocketAddresses].
  ///
  /// @return the same results as [#connect(int, SocketAddress)]
  public static int connect(int fd, MemorySegment address) {
    return (int) Kernel.callWithBuffer(SystemCall.CONNECT, fd, address, address.byteSize());
  }

  /// Disconnects a socket from its peer. A datagram socket then receives from any peer. A stream is
  /// reset immediately, which also affects other holders of the socket.
  ///
  /// @return 0 or a negative errno
  public static int disconnect(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment nobody = arena.allocate(SocketAddresses.STORAGE_BYTES, Long.BYTES);
      nobody.set(JAVA_SHORT, SocketAddresses.FAMILY, (short) AF_UNSPEC);
      return (int) Kernel.callWithBuffer(SystemCall.CONNECT, fd, nobody, Long.BYTES * 2L);
    }
  }

  /// Returns the number of bytes that can be received. For a datagram socket, this is the length of
  /// the next datagram.
  ///
  /// @return the number of bytes, or a negative errno
  public static int available(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(JAVA_INT);
      long result = Kernel.call(SystemCall.IOCTL, fd, FIONREAD, count.address());
      return result < 0 ? (int) result : count.get(JAVA_INT, 0);
    }
  }

  /// Connects a socket to an address.
  ///
  /// @return 0, -EINPROGRESS if the socket is non-blocking, -ECONNREFUSED, …
  public static int connect(int fd, SocketAddress address) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment encoded = SocketAddresses.encode(address, arena);
      return (int) Kernel.callWithBuffer(SystemCall.CONNECT, fd, encoded, encoded.byteSize());
    }
  }

  /// Sends bytes of a native segment.
  ///
  /// @param flags `MSG_` bits
  /// @return the number of bytes that were accepted for sending, or -EAGAIN, -EPIPE, -ECONNRESET, …
  public static int send(int fd, MemorySegment segment, long offset, int length, int flags) {
    long address = Ranges.readable(segment, offset, length);
    return (int) Kernel.callHolding(segment, SystemCall.SENDTO, fd, address, length, flags);
  }

  /// Sends a datagram to an address, like `sd_notify`.
  ///
  /// @return the number of bytes that were accepted for sending, or a negative errno
  public static int sendto(int fd, MemorySegment datagram, int flags, SocketAddress address) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment to = SocketAddresses.encode(address, arena);
      return (int)
          Kernel.callWithBuffer(
              SystemCall.SENDTO,
              fd,
              datagram,
              datagram.byteSize(),
              flags,
              to.address(),
              to.byteSize());
    }
  }

  /// Sends the ranges of a header that was initialized by [MsgHeader].
  ///
  /// @return the number of bytes that were accepted for sending, or a negative errno
  public static int sendmsg(int fd, MemorySegment header, long offset, int flags) {
    long address = Ranges.readable(header, offset, MsgHeader.SIZE);
    return (int) Kernel.callHolding(header, SystemCall.SENDMSG, fd, address, flags);
  }

  /// Sends the messages of several headers that were initialized by [MultiMsgHeader], until one of
  /// them fails.
  ///
  /// @param count the number of headers, 1 to [IoVec#LIMIT]
  /// @return the number of messages that were accepted for sending, or the negative errno of the
  ///   first message
  public static int sendmmsg(int fd, MemorySegment headers, long offset, int count, int flags) {
    long address = Ranges.readable(headers, offset, (long) count * MultiMsgHeader.SIZE);
    return (int) Kernel.callHolding(headers, SystemCall.SENDMMSG, fd, address, count, flags);
  }

  /// Receives the available messages into the ranges of several headers that were initialized by
  /// [MultiMsgHeader].
  ///
  /// @param count the number of headers, 1 to [IoVec#LIMIT]
  /// @param flags `MSG_` bits
  /// @return the number of messages received, or a negative errno
  public static int recvmmsg(int fd, MemorySegment headers, long offset, int count, int flags) {
    long address = Ranges.writable(headers, offset, (long) count * MultiMsgHeader.SIZE);
    return (int) Kernel.callHolding(headers, SystemCall.RECVMMSG, fd, address, count, flags);
  }

  /// Receives bytes into a native segment.
  ///
  /// @param flags `MSG_` bits
  /// @return the number of bytes received, 0 at the end of the stream, or -EAGAIN, -ECONNRESET, …
  public static int recv(int fd, MemorySegment segment, long offset, int length, int flags) {
    long address = Ranges.writable(segment, offset, length);
    return (int) Kernel.callHolding(segment, SystemCall.RECVFROM, fd, address, length, flags);
  }

  /// Receives bytes into the ranges of a header that was initialized by [MsgHeader].
  ///
  /// @return the number of bytes received, or a negative errno
  public static int recvmsg(int fd, MemorySegment header, long offset, int flags) {
    long address = Ranges.writable(header, offset, MsgHeader.SIZE);
    return (int) Kernel.callHolding(header, SystemCall.RECVMSG, fd, address, flags);
  }

  /// Shuts down one or both directions of a connection.
  ///
  /// @param how [#SHUT_RD], [#SHUT_WR] or [#SHUT_RDWR]
  /// @return 0, or -ENOTCONN, …
  public static int shutdown(int fd, int how) {
    return (int) Kernel.call(SystemCall.SHUTDOWN, fd, how);
  }

  /// Sets a socket option that has an `int` value.
  public static void setsockopt(int fd, int level, int option, int value) throws SysException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocateFrom(JAVA_INT, value);
      long result =
          Kernel.call(SystemCall.SETSOCKOPT, fd, level, option, argument.address(), Integer.BYTES);
      SysException.check(result, "setsockopt", fd, level, option, value);
    }
  }

  /// Returns the value of a socket option that has an `int` value.
  public static int getsockopt(int fd, int level, int option) throws SysException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(JAVA_INT);
      MemorySegment length = arena.allocateFrom(JAVA_INT, Integer.BYTES);
      long result =
          Kernel.call(SystemCall.GETSOCKOPT, fd, level, option, value.address(), length.address());
      SysException.check(result, "getsockopt", fd, level, option);
      return value.get(JAVA_INT, 0);
    }
  }

  /// Sets a socket option whose value is a structure.
  ///
  /// @return 0, or -EINVAL, -ENOPROTOOPT, …
  public static int setsockopt(int fd, int level, int option, MemorySegment value) {
    long address = Ranges.readable(value, 0, value.byteSize());
    return (int)
        Kernel.callHolding(
            value, SystemCall.SETSOCKOPT, fd, level, option, address, value.byteSize(), 0);
  }

  /// Reads a socket option whose value is a structure.
  ///
  /// @param value memory that is large enough for the structure
  /// @return the length of the structure in bytes, or -ENOPROTOOPT, …
  public static int getsockopt(int fd, int level, int option, MemorySegment value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment length = arena.allocateFrom(JAVA_INT, (int) value.byteSize());
      long address = Ranges.writable(value, 0, value.byteSize());
      long result =
          Kernel.callHolding(
              value, SystemCall.GETSOCKOPT, fd, level, option, address, length.address(), 0);
      return result < 0 ? (int) result : length.get(JAVA_INT, 0);
    }
  }

  /// Returns the number of bytes of a TCP connection that were acknowledged by the peer, including
  /// the SYN (RFC 4898: `tcpEStatsAppHCThruOctetsAcked`). Requires Linux 4.1.
  ///
  /// ```
  /// struct tcp_info { __u8 tcpi_state, …;  …  /* 120 */ __u64 tcpi_bytes_acked;  … };
  /// ```
  ///
  /// @return the number of bytes, -EOPNOTSUPP or -ENOPROTOOPT for another protocol, or -EINVAL for
  ///   an older kernel
  public static long bytesAcknowledged(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment info = arena.allocate(BYTES_ACKED_END, Long.BYTES);
      int length = getsockopt(fd, IPPROTO_TCP, TCP_INFO, info);
      if (length < 0) {
        return length;
      }
      return length < BYTES_ACKED_END ? -Errno.EINVAL : info.get(JAVA_LONG, TCPI_BYTES_ACKED);
    }
  }

  /// Returns true if the peer of a TCP connection has acknowledged everything that was sent,
  /// including FIN. Requires Linux 4.6.
  ///
  /// ```
  /// struct tcp_info { …; /* 24 */ __u32 tcpi_unacked; …; /* 144 */ __u32 tcpi_notsent_bytes; … };
  /// ```
  ///
  /// @return true if everything was acknowledged, or if the kernel does not report it
  public static boolean allAcknowledged(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment info = arena.allocate(NOTSENT_END, Long.BYTES);
      int length = getsockopt(fd, IPPROTO_TCP, TCP_INFO, info);
      return length < NOTSENT_END
          || (info.get(JAVA_INT, TCPI_UNACKED) == 0 && info.get(JAVA_INT, TCPI_NOTSENT) == 0);
    }
  }

  /// Returns the linger time that was set by [#linger(int, int)], or -1 if lingering is disabled.
  public static int linger(int fd) throws SysException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(LINGER_LAYOUT.sizeBytes(), Integer.BYTES);
      int result = getsockopt(fd, SOL_SOCKET, SO_LINGER, value);
      SysException.check(result, "getsockopt", fd, SOL_SOCKET, SO_LINGER);
      return value.get(JAVA_INT, L_ONOFF) == 0 ? -1 : value.get(JAVA_INT, L_LINGER);
    }
  }

  /// Sets how unsent bytes are treated when a socket is closed.
  ///
  /// @param seconds the time to wait until they have been sent, 0 to reset the connection, or a
  ///   negative value to disable lingering
  public static void linger(int fd, int seconds) throws SysException {
    try (Arena arena = Arena.ofConfined()) {
      int bytes = LINGER_LAYOUT.sizeBytes();
      MemorySegment value = arena.allocate(bytes, Integer.BYTES);
      value.set(JAVA_INT, L_ONOFF, seconds < 0 ? 0 : 1);
      value.set(JAVA_INT, L_LINGER, Math.max(0, seconds));
      long result =
          Kernel.call(SystemCall.SETSOCKOPT, fd, SOL_SOCKET, SO_LINGER, value.address(), bytes);
      SysException.check(result, "setsockopt", fd, SOL_SOCKET, SO_LINGER, seconds);
    }
  }

  /// Makes a listening TCP socket ignore new clients from now on, while handshakes in progress are
  /// completed. The change is permanent and applies to all holders of the socket.
  public static void dropSyn(int fd) throws SysException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment program = arena.allocate(SynFilter.PROGRAM_BYTES, Long.BYTES);
      SynFilter.write(program);
      long result =
          Kernel.call(
              SystemCall.SETSOCKOPT,
              fd,
              SOL_SOCKET,
              SO_ATTACH_FILTER,
              program.address(),
              Seccomp.PROGRAM_LAYOUT.sizeBytes());
      SysException.check(result, "setsockopt", fd, SOL_SOCKET, SO_ATTACH_FILTER);
    }
  }

  /// Returns the address to which a socket is bound, or null if there is none.
  public static @Nullable SocketAddress getsockname(int fd) throws SysException {
    return name(SystemCall.GETSOCKNAME, "getsockname", fd);
  }

  /// Returns the address of the peer, or null if it has no address, which is the case for a UNIX
  /// client.
  ///
  /// @throws SysException ENOTCONN if the socket is no longer connected
  public static @Nullable SocketAddress getpeername(int fd) throws SysException {
    return name(SystemCall.GETPEERNAME, "getpeername", fd);
  }

  private static @Nullable SocketAddress name(SystemCall call, String name, int fd)
      throws SysException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment storage = arena.allocate(SocketAddresses.STORAGE_BYTES, Long.BYTES);
      MemorySegment length = arena.allocateFrom(JAVA_INT, SocketAddresses.STORAGE_BYTES);
      long result = Kernel.callWithBuffer(call, fd, storage, length.address());
      SysException.check(result, name, fd);
      return SocketAddresses.decode(storage, length.get(JAVA_INT, 0));
    }
  }
}
