package sluice.loop.sockets;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.ListenOptions;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// The control-path operations on kernel sockets, which are the same for every engine on Linux. Any
/// thread may call.
public final class KernelSockets {
  private KernelSockets() {}

  /// Opens a socket for an address. The socket is not connected.
  public static int open(SocketAddress address, boolean nonBlocking) throws IOException {
    int type = Sockets.SOCK_STREAM | (nonBlocking ? Sockets.SOCK_NONBLOCK : 0);
    int fd = Sockets.socket(SocketAddresses.family(address), type, 0);
    if (address instanceof InetSocketAddress) {
      try {
        Sockets.setsockopt(fd, Sockets.IPPROTO_TCP, Sockets.TCP_NODELAY, 1);
      } catch (IOException e) {
        Files.close(fd);
        throw e;
      }
    }
    return fd;
  }

  /// Creates a socket, binds it and listens on it.
  public static int listen(SocketAddress address, ListenOptions options, boolean nonBlocking)
      throws IOException {
    int type = Sockets.SOCK_STREAM | (nonBlocking ? Sockets.SOCK_NONBLOCK : 0);
    int fd = Sockets.socket(SocketAddresses.family(address), type, 0);
    try {
      if (!(address instanceof UnixDomainSocketAddress)) {
        Sockets.setsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_REUSEADDR, 1);
        if (options.reusePort()) {
          Sockets.setsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_REUSEPORT, 1);
        }
        if (options.noDelay()) {
          Sockets.setsockopt(fd, Sockets.IPPROTO_TCP, Sockets.TCP_NODELAY, 1);
        }
      }
      Sockets.bind(fd, address);
      Sockets.listen(fd, options.backlog());
      return fd;
    } catch (IOException | RuntimeException e) {
      Files.close(fd);
      throw e;
    }
  }

  /// Adopts a listening descriptor, which may be blocking or non-blocking.
  ///
  /// @throws SysException if the descriptor is not listening
  public static void adopt(int fd, boolean nonBlocking) throws IOException {
    if (Sockets.getsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_ACCEPTCONN) == 0) {
      throw SysException.of(Errno.EINVAL, "accept4", "fd " + fd + ", which does not listen");
    }
    setMode(fd, nonBlocking);
  }

  /// Makes a descriptor blocking or non-blocking, together with all its duplicates.
  public static void setMode(int fd, boolean nonBlocking) throws IOException {
    int flags = Files.statusFlags(fd);
    SysException.check(flags, "fcntl", fd, "F_GETFL");
    int wanted = nonBlocking ? flags | Files.O_NONBLOCK : flags & ~Files.O_NONBLOCK;
    SysException.check(Files.setStatusFlags(fd, wanted), "fcntl", fd, "F_SETFL");
  }

  /// Drops connection requests from now on. This is done on a best-effort basis: otherwise, a
  /// client that arrives between the last accept and the close is reset.
  ///
  /// @return true if connection requests are dropped
  public static boolean refuseNew(int listener) {
    try {
      if (Sockets.getsockname(listener) instanceof InetSocketAddress) {
        Sockets.dropSyn(listener);
        return true;
      }
    } catch (SysException e) {
      Log.LOGGER.log(Level.DEBUG, "connection requests are not dropped while draining", e);
    }
    return false;
  }

  public static SocketAddress localAddress(int fd) throws IOException {
    SocketAddress address = Sockets.getsockname(fd);
    return address == null ? UnixDomainSocketAddress.of("") : address;
  }

  /// Implements [sluice.loop.engine.Transport#peerTakenBytes].
  public static long peerTakenBytes(int fd) {
    return Math.max(-1, Sockets.bytesAcknowledged(fd));
  }

  public static @Nullable SocketAddress remoteAddress(int fd) {
    try {
      return Sockets.getpeername(fd);
    } catch (SysException e) {
      return null;
    }
  }
}
