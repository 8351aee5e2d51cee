package sluice.nio.channels;

import org.jspecify.annotations.Nullable;
import sluice.nio.descriptors.ChannelCore;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// The end of a stream, as in the JDK. Closing a stream that is registered with a selector ends its
/// output; its descriptor is closed when the selector releases it. A client that is still sending
/// can thus read the last reply and its end before it is reset for unread bytes. The closing thread
/// calls.
public final class StreamEnd {
  private StreamEnd() {}

  /// Ends the output of the channel below a `java.net` socket that is about to be closed: the peer
  /// reads the last reply and its end, even if unread bytes then reset the connection.
  static void endsSocket(ChannelCore core) {
    try {
      if (Sockets.linger(core.fd()) != 0) {
        int _ = Sockets.shutdown(core.fd(), Sockets.SHUT_WR);
      }
    } catch (SysException gone) {
      // The connection is gone, so there is no output.
    }
  }

  /// Makes closing not wait for sent bytes, because the closing thread also serves other
  /// connections.
  ///
  /// @return the linger time it would have waited, 0 for a reset, negative for none
  public static int doNotWait(int fd) {
    try {
      int linger = Sockets.linger(fd);
      if (linger > 0) {
        Sockets.linger(fd, -1);
      }
      return linger;
    } catch (SysException gone) {
      return -1;
    }
  }

  /// Sends the staged bytes and ends the output.
  ///
  /// @param core the core of a connected channel that does not block
  /// @param port sends for the channel; null if the channel sends itself
  /// @return false if the channel has to be closed at once: with a linger time of 0, or if the
  ///   kernel does not take all staged bytes
  static boolean endsOutput(ChannelCore core, @Nullable StreamPort port) {
    core.writes.lock.lock();
    try {
      if (doNotWait(core.fd()) == 0) {
        return false;
      }
      if (port != null && port.bringsAll()) {
        return !port.flushBeforeShutdown() // then the front shuts down behind what it sends
            || Sockets.shutdown(core.fd(), Sockets.SHUT_WR) == 0;
      }
      return (port == null || port.flush()) && Sockets.shutdown(core.fd(), Sockets.SHUT_WR) == 0;
    } finally {
      core.writes.lock.unlock();
    }
  }
}
