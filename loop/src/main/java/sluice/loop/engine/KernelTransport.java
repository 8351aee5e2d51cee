package sluice.loop.engine;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import sluice.sys.Errno;
import sluice.sys.SysException;

/// The transport of kernel sockets, including the operations that only they support. Every [Engine]
/// has such a transport.
public interface KernelTransport extends Transport {
  /// Adopts a listening descriptor that is already open, for example one passed by systemd.
  int adoptListener(int fd) throws IOException;

  /// Adopts a connected stream descriptor, which may be blocking or non-blocking.
  ///
  /// @return the socket
  /// @throws IOException if sockets are not descriptors, or if no further socket can be opened; the
  ///   descriptor is then still owned by the caller
  default int adoptConnected(int fd) throws IOException {
    throw SysException.of(Errno.EOPNOTSUPP, "fcntl", fd, "a socket of another kind");
  }

  /// Returns the kernel's descriptor of a socket, which remains owned by this transport, or -1 if
  /// sockets are not descriptors.
  default int descriptor(int socket) {
    return -1;
  }

  /// Limits the number of clients that each listener accepts before the loop has handled the last
  /// of them, so that they do not use descriptors reserved for files. An engine may round up the
  /// limit, except that 1 is exact.
  ///
  /// @param count at least 1
  /// @param used the number of open descriptors above which a client is the last one accepted;
  ///   other loops may have opened some in the meantime
  default void acceptAtMost(int count, int used) {}

  /// Returns a lower bound on the number of descriptors that this process has open.
  ///
  /// @param socket the most recently opened socket, whose number provides the bound without a
  ///   system call; a negative value to have the system count
  /// @return 0 if the number is unknown, or `Integer.MAX_VALUE` if no further descriptor is
  ///   available
  default int descriptorsUsed(int socket) {
    return 0;
  }

  /// Opens the reserve descriptors, which are used to refuse clients when no other descriptor is
  /// free. Takes effect immediately.
  ///
  /// @return true if all of them are open, which is always the case if sockets are not descriptors
  default boolean fillReserve() {
    return true;
  }

  /// Closes one of the reserve descriptors for use by the next accept. Takes effect immediately.
  ///
  /// @return false if no reserve descriptor was open
  default boolean freeReserve() {
    return false;
  }

  /// Returns true if [#receiveOnce] and [#tryReceive] are supported for a socket.
  default boolean receivesDirectly(int socket) {
    return false;
  }

  /// Arms receiving as [Transport#receive] does, but for one completion. Requires
  /// [#receivesDirectly].
  default void receiveOnce(int socket, long token) {
    throw new UnsupportedOperationException();
  }

  /// Receives available bytes into the caller's memory without waiting. Takes effect immediately.
  /// This method may only be called while no receive is armed and all completions of receives have
  /// been delivered, because their bytes come first. Requires [#receivesDirectly].
  ///
  /// @return the number of bytes received, or 0 at the end of the stream, or -EAGAIN if none are
  ///   available, or another negative errno
  default int tryReceive(int socket, MemorySegment into, long offset, int length) {
    throw new UnsupportedOperationException();
  }
}
