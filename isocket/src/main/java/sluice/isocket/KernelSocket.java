package sluice.isocket;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import org.jspecify.annotations.Nullable;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;
import sluice.sys.SysException;
import sluice.sys.sockets.JdkDecisions;
import sluice.sys.sockets.SocketErrors;

/// System calls on descriptors of stream sockets, using the same addresses and errors as the JDK's
/// sockets. Stateless; any thread may call.
final class KernelSocket {
  private static final boolean IPV6 = JdkDecisions.ipv6();

  /// The protocol family of all sockets. `INET6` covers both IPv4 and IPv6.
  static final StandardProtocolFamily FAMILY =
      IPV6 ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET;

  private KernelSocket() {}

  /// Opens a stream socket in non-blocking mode.
  static int open() throws IOException {
    int family = IPV6 ? SocketAddresses.AF_INET6 : SocketAddresses.AF_INET;
    try {
      int fd = Sockets.socket(family, Sockets.SOCK_STREAM | Sockets.SOCK_NONBLOCK, 0);
      try {
        if (IPV6) {
          Sockets.setsockopt(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_V6ONLY, 0);
        }
        return fd;
      } catch (SysException e) {
        Files.close(fd);
        throw e;
      }
    } catch (SysException e) {
      throw SocketErrors.of(e);
    }
  }

  static void bind(int fd, InetAddress host, int port) throws IOException {
    try (Arena scratch = Arena.ofConfined()) {
      int _ = SocketErrors.check(Sockets.bind(fd, encode(host, port, scratch)));
    }
  }

  /// Starts connecting a socket.
  ///
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
      throw SocketErrors.of(e);
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

  /// Returns the pending error of a socket as a negative errno, or 0 if there is none.
  static int error(int fd) {
    try {
      return -Sockets.getsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_ERROR);
    } catch (SysException e) {
      return -e.errno();
    }
  }
}
