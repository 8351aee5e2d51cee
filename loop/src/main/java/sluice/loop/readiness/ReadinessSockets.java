package sluice.loop.readiness;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.ListenOptions;
import sluice.loop.sockets.DescriptorReserve;
import sluice.sys.Errno;
import sluice.sys.SysException;

/// Socket calls that never wait: the kernel's by way of `sluice.sys`, or the JDK's channels. The
/// engine's owner thread calls everything.
///
/// Results that are `int` or `long` are counts, or negative errno values; -EINTR is not among them.
interface ReadinessSockets {
  int listen(SocketAddress address, ListenOptions options) throws IOException;

  int adoptListener(int fd) throws IOException;

  /// As [sluice.loop.engine.KernelTransport#adoptConnected].
  default int adoptConnected(int fd) throws IOException {
    throw SysException.of(Errno.EOPNOTSUPP, "fcntl", fd, "a socket of another kind");
  }

  SocketAddress localAddress(int listener) throws IOException;

  @Nullable SocketAddress remoteAddress(int socket);

  /// As [sluice.loop.engine.KernelTransport#descriptor].
  default int descriptor(int socket) {
    return -1;
  }

  /// As [sluice.loop.engine.Transport#peerTakenBytes].
  default long peerTakenBytes(int socket) {
    return -1;
  }

  /// As [sluice.loop.engine.Transport#refuseNew].
  default boolean refuseNew(int listener) {
    return false;
  }

  /// @return a new non-blocking socket, or -EAGAIN when no client waits, or another errno
  int accept(int listener);

  /// As [sluice.loop.engine.KernelTransport#descriptorsUsed].
  default int descriptorsUsed(int socket) {
    return 0;
  }

  /// What is kept to refuse clients with, [sluice.loop.engine.Transport#fillReserve]. Closed by
  /// [#close].
  DescriptorReserve reserve();

  /// Opens a socket that can connect to `address`.
  int open(SocketAddress address) throws IOException;

  /// @return 0, or -EINPROGRESS: then [#finishConnect] tells, once the socket is writable
  int connect(int socket, SocketAddress address);

  /// @return 0 when connected, -EINPROGRESS when still not, or why it failed
  int finishConnect(int socket);

  /// Receives into a chunk of the arena.
  int receive(int socket, int chunk);

  int send(int socket, MemorySegment bytes, long offset, int length);

  /// Sends `count` ranges that begin at entry `first` of the stage.
  ///
  /// @param more whether other bytes follow at once ([sluice.loop.engine.SendVector#moreFollows])
  int sendVector(int socket, ReadinessStage stage, int first, int count, boolean more);

  long sendFile(int socket, int fileFd, long position, long count);

  void shutdown(int socket, int how);

  void close(int socket);

  /// System calls made.
  long calls();

  /// Frees what the calls themselves use. Every socket is closed by now.
  void close();
}
