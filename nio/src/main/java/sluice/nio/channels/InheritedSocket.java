package sluice.nio.channels;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import sluice.nio.descriptors.ProtocolFamilies;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;
import sluice.sys.SysException;
import sluice.sys.sockets.SocketErrors;

/// The socket that a super-server passed to this process as standard input. Any thread may call it.
///
/// The socket is adopted once. Standard input, output and error are then redirected to `/dev/null`
/// if they refer to this socket, so that nothing the program prints reaches the peer. A descriptor
/// that refers to something else, such as a log, is left unchanged.
public final class InheritedSocket {
  private static final int INPUT = 0;
  private static @Nullable Channel taken;

  private InheritedSocket() {}

  public static synchronized @Nullable Channel channel(SelectorProvider provider)
      throws IOException {
    if (taken == null && isSocket()) {
      int fd = SocketErrors.check(Files.duplicate(INPUT));
      taken = wrap(provider, fd);
      String socket = file(INPUT);
      int nothing = SocketErrors.check(Files.openat(Files.AT_FDCWD, "/dev/null", Files.O_RDWR, 0));
      for (int i = INPUT; i <= 2; i++) {
        if (file(i).equals(socket)) {
          SocketErrors.check(Files.replace(i, nothing));
        }
      }
      Files.close(nothing);
    }
    return taken;
  }

  /// Returns the type and inode number of the file that a descriptor refers to, or an empty string
  /// if they cannot be determined.
  private static String file(int fd) {
    try {
      return java.nio.file.Files.readSymbolicLink(Path.of("/proc/self/fd/" + fd)).toString();
    } catch (IOException notShown) {
      return "";
    }
  }

  private static boolean isSocket() throws IOException {
    try {
      Sockets.getsockopt(INPUT, Sockets.SOL_SOCKET, Sockets.SO_TYPE);
      return true;
    } catch (SysException no) {
      if (no.errno() == Errno.ENOTSOCK || no.errno() == Errno.EBADF) {
        return false;
      }
      throw no;
    }
  }

  private static @Nullable Channel wrap(SelectorProvider provider, int fd) throws IOException {
    StandardProtocolFamily family =
        switch (Sockets.getsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_DOMAIN)) {
          case SocketAddresses.AF_INET -> StandardProtocolFamily.INET;
          case SocketAddresses.AF_INET6 -> StandardProtocolFamily.INET6;
          default -> StandardProtocolFamily.UNIX;
        };
    boolean stream =
        Sockets.getsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_TYPE) == Sockets.SOCK_STREAM;
    if (!stream) {
      return new SluiceDatagramChannel(provider, family, fd);
    }
    if (Sockets.getsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_ACCEPTCONN) != 0) {
      return new SluiceServerSocketChannel(provider, family, fd);
    }
    return StreamChannels.connected(
        provider, family, fd, ProtocolFamilies.orUnnamed(Sockets.getpeername(fd), family));
  }
}
