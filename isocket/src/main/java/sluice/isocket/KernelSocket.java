package sluice.isocket;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// Calls on descriptors of stream sockets, with addresses and errors as the JDK's sockets have
/// them. Stateless: any thread may call.
final class KernelSocket {
  private static final int EPROTO = 71;
  private static final boolean IPV6 = ipv6();

  private KernelSocket() {}

  private static boolean ipv6() {
    if (Boolean.getBoolean("java.net.preferIPv4Stack")) {
      return false;
    }
    try {
      int fd = Sockets.socket(SocketAddresses.AF_INET6, Sockets.SOCK_STREAM, 0);
      Files.close(fd);
      return true;
    } catch (SysException none) {
      return false;
    }
  }

  /// Whether sockets speak both versions of the Internet protocol.
  static boolean isDual() {
    return IPV6;
  }

  /// Opens a stream socket, non-blocking until a loop takes it.
  static int open() throws IOException {
    int family = IPV6 ? SocketAddresses.AF_INET6 : SocketAddresses.AF_INET;
    try {
      int fd = Sockets.socket(family, Sockets.SOCK_STREAM | Sockets.SOCK_NONBLOCK, 0);
      if (IPV6) {
        Sockets.setsockopt(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_V6ONLY, 0);
      }
      return fd;
    } catch (SysException e) {
      throw known(e.errno());
    }
  }

  static void bind(int fd, InetAddress host, int port) throws IOException {
    try (Arena scratch = Arena.ofConfined()) {
      check(Sockets.bind(fd, encode(host, port, scratch)));
    }
  }

  /// @return 0, -EINPROGRESS, or another negative errno
  static int connect(int fd, InetAddress host, int port) {
    try (Arena scratch = Arena.ofConfined()) {
      return Sockets.connect(fd, encode(host, port, scratch));
    }
  }

  private static MemorySegment encode(InetAddress host, int port, Arena scratch) {
    InetSocketAddress address = new InetSocketAddress(host, port);
    return IPV6
        ? SocketAddresses.encodeMapped(address, scratch)
        : SocketAddresses.encode(address, scratch);
  }

  static void listen(int fd, int backlog) throws IOException {
    try {
      Sockets.listen(fd, backlog);
    } catch (SysException e) {
      throw known(e.errno());
    }
  }

  static @Nullable InetSocketAddress local(int fd) throws SocketException {
    try {
      return Sockets.getsockname(fd) instanceof InetSocketAddress inet ? inet : null;
    } catch (SysException e) {
      throw new SocketException(Errno.describe(e.errno()));
    }
  }

  static @Nullable InetSocketAddress remote(int fd) {
    try {
      return Sockets.getpeername(fd) instanceof InetSocketAddress inet ? inet : null;
    } catch (SysException gone) {
      return null;
    }
  }

  /// The error that a socket has come to, as a negative errno; 0 for none.
  static int error(int fd) {
    try {
      return -Sockets.getsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_ERROR);
    } catch (SysException e) {
      return -e.errno();
    }
  }

  static void check(int result) throws IOException {
    if (result < 0) {
      throw known(result);
    }
  }

  /// @param errno positive or negated
  static IOException known(int errno) {
    String text = Errno.describe(errno);
    return switch (Math.abs(errno)) {
      case EPROTO -> new ProtocolException(text);
      case Errno.ECONNREFUSED, Errno.ETIMEDOUT, Errno.ENOTCONN -> new ConnectException(text);
      case Errno.EHOSTUNREACH -> new NoRouteToHostException(text);
      case Errno.EADDRINUSE, Errno.EADDRNOTAVAIL, Errno.EACCES, Errno.EPERM ->
          new BindException(text);
      default -> new SocketException(text);
    };
  }
}
