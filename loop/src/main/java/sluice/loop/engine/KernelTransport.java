package sluice.loop.engine;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import sluice.sys.Errno;
import sluice.sys.SysException;

/// The kernel's sockets as a [Transport], and what only they can. The transport of every [Engine].
public interface KernelTransport extends Transport {
  /// Takes over a listening descriptor that is already open, for example one of systemd's.
  int adoptListener(int fd) throws IOException;

  /// Takes over a connected stream descriptor, whatever mode it is in.
  ///
  /// @return the socket
  /// @throws IOException where sockets are no descriptors, or there is no room for one more; the
  ///   descriptor stays the caller's then
  default int adoptConnected(int fd) throws IOException {
    throw SysException.of(Errno.EOPNOTSUPP, "fcntl", fd, "a socket of another kind");
  }

  /// The kernel's descriptor of a socket, which stays this transport's to close; -1 where sockets
  /// are numbered otherwise.
  default int descriptor(int socket) {
    return -1;
  }

  /// Bounds the clients that each listener accepts before the loop has looked at the last of them:
  /// they must not take descriptors that are meant for files. An engine may round up, except that 1
  /// is 1.
  ///
  /// @param count at least 1
  /// @param used a client with which more descriptors are open is the last: other loops have taken
  ///   some meanwhile
  default void acceptAtMost(int count, int used) {}

  /// Returns how many descriptors this process has open at least.
  ///
  /// @param socket opened last, whose number tells without a system call; negative for a count by
  ///   the system
  /// @return 0 where that is unknown, and `Integer.MAX_VALUE` where not one more is to be had
  default int descriptorsUsed(int socket) {
    return 0;
  }

  /// Opens the descriptors that are kept to refuse clients with when there are no others. Takes
  /// effect at once.
  ///
  /// @return whether all of them are open; where there are no descriptors, always
  default boolean fillReserve() {
    return true;
  }

  /// Closes one of those descriptors, for the next accept. Takes effect at once.
  ///
  /// @return false when none was open
  default boolean freeReserve() {
    return false;
  }

  /// Whether [#receiveOnce] and [#tryReceive] can be used with a socket.
  default boolean receivesDirectly(int socket) {
    return false;
  }

  /// As [Transport#receive], for one completion. Only where [#receivesDirectly] says so.
  default void receiveOnce(int socket, long token) {
    throw new UnsupportedOperationException();
  }

  /// Takes bytes that have come, without waiting, to where they are wanted. Takes effect at once,
  /// and only while no receive is armed and all its completions have been delivered: what they
  /// brought comes before. Only where [#receivesDirectly] says so.
  ///
  /// @return bytes taken; 0 at the end of the stream; -EAGAIN when none have come, or another
  ///   negative errno
  default int tryReceive(int socket, MemorySegment into, long offset, int length) {
    throw new UnsupportedOperationException();
  }
}
