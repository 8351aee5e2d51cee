package sluice.nio.channels;

import org.jspecify.annotations.Nullable;
import sluice.nio.descriptors.ChannelCore;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// The procedure for closing a stream, which works as in the JDK. Closing a stream that is
/// registered with a selector shuts down its output, and the descriptor is closed when the selector
/// releases it. A client that is still sending can therefore read the last reply and the end of the
/// stream before the connection is reset because of unread bytes. The closing thread calls.
public final class StreamEnd {
  private StreamEnd() {}

  /// Shuts down the output of the channel underlying a `java.net` socket that is about to be
  /// closed. The peer can then read the last reply and the end of the stream even if unread bytes
  /// cause a reset afterwards.
  static void endsSocket(ChannelCore core) {
    try {
      if (Sockets.linger(core.fd()) != 0) {
        int _ = Sockets.shutdown(core.fd(), Sockets.SHUT_WR);
      }
    } catch (SysException gone) {
      // Ignored, because a closed connection has no output to shut down.
    }
  }

  /// Prevents a close from waiting for sent bytes, because the closing thread also serves other
  /// connections.
  ///
  /// @return the linger time that applied before, 0 if closing resets the connection, or a negative
  ///   number if lingering is disabled
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

  /// Sends the staged bytes and shuts down the output.
  ///
  /// @param core the core of a connected channel in non-blocking mode
  /// @param port the port that sends for the channel, or null if the channel sends itself
  /// @return false if the channel must be closed immediately, because its linger time is 0 or the
  ///   kernel does not accept all staged bytes
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
