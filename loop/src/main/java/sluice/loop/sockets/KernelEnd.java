package sluice.loop.sockets;

import sluice.loop.engine.KernelTransport;
import sluice.loop.engine.Transport;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// The end of a connection whose unread bytes are not where the kernel looks for them: closing its
/// descriptor does what `close(2)` would do if they were. Owned by the loop's thread, until the
/// descriptor is closed.
public final class KernelEnd {
  private final Transport transport;
  private final int socket;

  public KernelEnd(Transport transport, int socket) {
    this.transport = transport;
    this.socket = socket;
  }

  /// Prepares for closing.
  ///
  /// @param unread whether bytes were left unread
  /// @param endsFirst whether the output ends before a reset
  public void begin(boolean unread, boolean endsFirst) {
    if (!(transport instanceof KernelTransport kernel) || !(unread || endsFirst)) {
      return; // then closing does the same
    }
    int fd = kernel.descriptor(socket);
    try {
      if (Sockets.linger(fd) == 0) {
        return; // a reset, whatever was read
      }
      if (endsFirst) {
        transport.shutdown(socket, Sockets.SHUT_WR);
      }
      if (unread) {
        Sockets.linger(fd, 0);
      }
    } catch (SysException gone) {
      // then there is nothing to end
    }
  }

  /// Bytes came that are not read either.
  public void reset() {
    if (transport instanceof KernelTransport kernel) {
      try {
        Sockets.linger(kernel.descriptor(socket), 0);
      } catch (SysException gone) {
        // then there is nothing to reset
      }
    }
  }
}
