package sluice.loop.readiness;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.ListenOptions;
import sluice.loop.sockets.DescriptorReserve;
import sluice.sys.Errno;
import sluice.sys.SysException;

/// Non-blocking socket calls, which are those of the kernel through `sluice.sys` or those of JDK
/// channels. All methods are called by the engine's owner thread.
///
/// Results of type `int` and `long` are counts or negative errno values; -EINTR is never returned.
interface ReadinessSockets {
  int listen(SocketAddress address, ListenOptions options) throws IOException;

  int adoptListener(int fd) throws IOException;

  /// Implements [sluice.loop.engine.KernelTransport#adoptConnected].
  default int adoptConnected(int fd) throws IOException {
    throw SysException.of(Errno.EOPNOTSUPP, "fcntl", fd, "a socket of another kind");
  }

  SocketAddress localAddress(int listener) throws IOException;

  @Nullable SocketAddress remoteAddress(int socket);

  /// Implements [sluice.loop.engine.KernelTransport#descriptor].
  default int descriptor(int socket) {
    return -1;
  }

  /// Implements [sluice.loop.engine.Transport#peerTakenBytes].
  default long peerTakenBytes(int socket) {
    return -1;
  }

  /// Implements [sluice.loop.engine.Transport#refuseNew].
  default boolean refuseNew(int listener) {
    return false;
  }

  /// Accepts a client.
  ///
  /// @return a new non-blocking socket, or -EAGAIN if no client is waiting, or another negative
  ///   errno
  int accept(int listener);

  /// Implements [sluice.loop.engine.KernelTransport#descriptorsUsed].
  default int descriptorsUsed(int socket) {
    return 0;
  }

  /// Returns the reserve of descriptors that is used to refuse clients, see
  /// [sluice.loop.engine.Transport#fillReserve]. It is closed by [#close].
  DescriptorReserve reserve();

  /// Opens a socket that can connect to `address`.
  int open(SocketAddress address) throws IOException;

  /// Starts to connect a socket.
  ///
  /// @return 0, or -EINPROGRESS, in which case [#finishConnect] returns the result once the socket
  ///   is writable
  int connect(int socket, SocketAddress address);

  /// Returns the result of a connect.
  ///
  /// @return 0 if connected, -EINPROGRESS if the connect is still in progress, or the negative
  ///   errno of the failure
  int finishConnect(int socket);

  /// Receives into a chunk of the arena.
  int receive(int socket, int chunk);

  int send(int socket, MemorySegment bytes, long offset, int length);

  /// Sends `count` ranges that begin at entry `first` of the stage.
  ///
  /// @param more true if other bytes follow immediately
  ///   ([sluice.loop.engine.SendVector#moreFollows])
  int sendVector(int socket, ReadinessStage stage, int first, int count, boolean more);

  long sendFile(int socket, int fileFd, long position, long count);

  void shutdown(int socket, int how);

  void close(int socket);

  /// Returns the number of system calls made.
  long calls();

  /// Frees the resources of this object. All sockets have been closed before.
  void close();
}
