package sluice.sys;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Objects;

/// A listener on the loopback interface and one connection to it, for tests.
///
/// Confined to the test's thread.
///
/// @param listener bound to a free port
/// @param client the connecting side
/// @param server the accepted side
record SocketPair(int listener, int client, int server) implements AutoCloseable {
  static final InetSocketAddress LOOPBACK =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  static SocketPair open() throws SysException {
    int listener = listen(LOOPBACK);
    int client = connect(listener);
    int server = (int) SysException.check(Sockets.accept4(listener, 0), "accept4", listener);
    return new SocketPair(listener, client, server);
  }

  static int listen(SocketAddress address) throws SysException {
    int fd = Sockets.socket(SocketAddresses.family(address), Sockets.SOCK_STREAM, 0);
    Sockets.bind(fd, address);
    Sockets.listen(fd, 16);
    return fd;
  }

  static int connect(int listener) throws SysException {
    SocketAddress address = Objects.requireNonNull(Sockets.getsockname(listener));
    int fd = Sockets.socket(SocketAddresses.family(address), Sockets.SOCK_STREAM, 0);
    SysException.check(Sockets.connect(fd, address), "connect", fd, address);
    return fd;
  }

  @Override
  public void close() {
    Files.close(client);
    Files.close(server);
    Files.close(listener);
  }
}
