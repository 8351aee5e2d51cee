package sluice.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import sluice.sys.Files;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// A raw descriptor for [EngineContractPoll]. Needs Linux.
record EngineContractFile(int fd) implements AutoCloseable {
  static EngineContractFile open(Path path) throws IOException {
    int flags = Files.O_RDONLY | Files.O_CLOEXEC;
    long fd = Files.openat(Files.AT_FDCWD, path.toString(), flags, 0);
    return new EngineContractFile((int) SysException.check(fd, "openat", path));
  }

  /// Opens a bound and listening socket, as systemd passes it to a service.
  static int listeningSocket() throws IOException {
    int fd = Sockets.socket(SocketAddresses.AF_INET, Sockets.SOCK_STREAM, 0);
    Sockets.bind(fd, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    Sockets.listen(fd, 16);
    return fd;
  }

  @Override
  public void close() {
    Files.close(fd);
  }
}
