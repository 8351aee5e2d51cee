package sluice.nio.channels;

import org.jspecify.annotations.Nullable;
import sluice.nio.descriptors.ChannelCore;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// The end of a stream that a selector has registered. Its output ends when it is closed; its
/// descriptor is closed when the selector lets go of it, as the JDK's is: a client that is still
/// sending reads the last reply and its end before it is reset for what was never read. The closing
/// thread calls.
final class StreamEnd {
  private StreamEnd() {}

  /// Sends what is staged and ends the output.
  ///
  /// @param core of a connected channel that does not block
  /// @param port a front ends its connections itself
  /// @return false when the channel has to be closed at once: for a front, with a linger time of 0,
  ///   or when the kernel does not take all that is staged
  static boolean endsOutput(ChannelCore core, @Nullable StreamPort port) {
    if (port != null && port.bringsAll()) {
      return false;
    }
    core.writes.lock.lock();
    try {
      int linger = Sockets.linger(core.fd());
      if (linger > 0) {
        Sockets.linger(core.fd(), -1); // the selector would wait for it
      }
      return linger != 0
          && (port == null || port.flush())
          && Sockets.shutdown(core.fd(), Sockets.SHUT_WR) == 0;
    } catch (SysException gone) {
      return false;
    } finally {
      core.writes.lock.unlock();
    }
  }
}
