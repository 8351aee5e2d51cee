package sluice.loop.engine;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import sluice.sys.Errno;
import sluice.sys.SysException;

/// The transport of kernel sockets, with the operations that only they support. Every [Engine] has
/// one.
public interface KernelTransport extends Transport {
  /// Adopts a listening descriptor that is already open, for example one passed by systemd.
  int adoptListener(int fd) throws IOException;

  /// Adopts a connected stream descriptor, blocking or not.
  ///
  /// @return the socket
  /// @throws IOException if sockets are not descriptors, or there is no room for one more; the
  ///   descriptor then stays the caller's
  default int adoptConnected(int fd) throws IOException {
    throw SysException.of(Errno.EOPNOTSUPP, "fcntl", fd, "a socket of another kind");
  }

  /// Returns the kernel's descriptor of a socket, which remains owned by this transport; -1 if
  /// sockets are not descriptors.
  default int descriptor(int socket) {
    return -1;
  }

  /// Limits the number of clients that each listener accepts before the loop has handled the last
  /// of them, so that they do not take descriptors reserved for files. An engine may round the
  /// limit up, except that 1 is exact.
  ///
  /// @param count at least 1
  /// @param used the number of open descriptors above which a client is the last one accepted;
  ///   other loops may have opened some meanwhile
  default void acceptAtMost(int count, int used) {}

  /// Returns a lower bound of the number of descriptors that this process has open.
  ///
  /// @param socket the socket opened last, whose number gives the bound without a system call;
  ///   negative for a count by the system
  /// @return 0 if unknown, and `Integer.MAX_VALUE` if no further descriptor is available
  default int descriptorsUsed(int socket) {
    return 0;
  }

  /// Opens the reserve descriptors, which serve to refuse clients when there are no others. Takes
  /// effect at once.
  ///
  /// @return true if all of them are open; always true if sockets are not descriptors
  default boolean fillReserve() {
    return true;
  }

  /// Closes one of the reserve descriptors, for the next accept. Takes effect at once.
  ///
  /// @return false if none was open
  default boolean freeReserve() {
    return false;
  }

  /// Returns true if [#receiveOnce] and [#tryReceive] can be used with a socket.
  default boolean receivesDirectly(int socket) {
    return false;
  }

  /// Arms receiving as [Transport#receive] does, for one completion. Only if [#receivesDirectly].
  default void receiveOnce(int socket, long token) {
    throw new UnsupportedOperationException();
  }

  /// Receives available bytes into the caller's memory, without waiting. Takes effect at once.
  /// Allowed only while no receive is armed and all its completions have been delivered, because
  /// their bytes come first, and only if [#receivesDirectly].
  ///
  /// @return the number of bytes taken; 0 at the end of the stream; -EAGAIN if none are available,
  ///   or another negative errno
  default int tryReceive(int socket, MemorySegment into, long offset, int length) {
    throw new UnsupportedOperationException();
  }
}
