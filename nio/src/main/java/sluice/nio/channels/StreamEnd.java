package sluice.nio.channels;

import org.jspecify.annotations.Nullable;
import sluice.nio.descriptors.ChannelCore;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// The end of a stream, as the JDK's is. The output of a stream that a selector has registered ends
/// when it is closed; its descriptor is closed when the selector lets go of it, as the JDK's is: a
/// client that is still sending reads the last reply and its end before it is reset for what was
/// never read. The closing thread calls.
public final class StreamEnd {
  private StreamEnd() {}

  /// Ends the output of what is below a socket of `java.net`, which is about to be closed: the peer
  /// reads the last reply and its end, also where unread bytes then reset the connection.
  static void endsSocket(ChannelCore core) {
    try {
      if (Sockets.linger(core.fd()) != 0) {
        int _ = Sockets.shutdown(core.fd(), Sockets.SHUT_WR);
      }
    } catch (SysException gone) {
      // then there is no output
    }
  }

  /// Has closing wait for no byte that was sent: a thread will close that other connections need.
  ///
  /// @return the time it would have waited, 0 for a reset, negative for none
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

  /// Sends what is staged and ends the output.
  ///
  /// @param core of a connected channel that does not block
  /// @param port sends for the channel
  /// @return false when the channel has to be closed at once: with a linger time of 0, or when the
  ///   kernel does not take all that is staged
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
