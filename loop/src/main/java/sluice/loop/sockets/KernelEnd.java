package sluice.loop.sockets;

import sluice.loop.engine.KernelTransport;
import sluice.loop.engine.Transport;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// The end of a connection whose unread bytes are not where the kernel looks for them: closing its
/// descriptor does what `close(2)` would do if they were. Owned by the loop's thread, until the
/// descriptor is closed.
///
/// Where bytes were left unread, the kernel resets the connection, and what the peer has not taken
/// is lost. The bytes of the loop were sent to be received: while the peer takes them, the end
/// waits ([#isDue]).
public final class KernelEnd {
  private final Transport transport;
  private final int socket;
  private final boolean endsFirst;
  private boolean unread;
  private boolean begun;

  /// @param endsFirst whether the output ends before a reset
  public KernelEnd(Transport transport, int socket, boolean endsFirst) {
    this.transport = transport;
    this.socket = socket;
    this.endsFirst = endsFirst;
  }

  /// Notes that bytes were left unread, also such as come after [#begin].
  public void leftUnread() {
    unread = true;
    if (begun) {
      reset();
    }
  }

  /// Ends the output where it ends first, when all of it has gone to the kernel.
  public void endOutput() {
    if (endsFirst) {
      transport.shutdown(socket, Sockets.SHUT_WR);
    }
  }

  /// Returns whether ending now destroys nothing on its way to the peer.
  public boolean isDue() {
    if (!(transport instanceof KernelTransport kernel)) {
      return true;
    }
    int fd = kernel.descriptor(socket);
    return !(unread || resetsAlways(fd)) || Sockets.allAcknowledged(fd);
  }

  /// Whether closing resets, whatever was read.
  private static boolean resetsAlways(int fd) {
    try {
      return Sockets.linger(fd) == 0;
    } catch (SysException gone) {
      return true; // then there is nothing to end
    }
  }

  /// Prepares for closing.
  public void begin() {
    begun = true;
    if (!(transport instanceof KernelTransport kernel)
        || !(unread || endsFirst)
        || resetsAlways(kernel.descriptor(socket))) {
      return; // then closing does the same
    }
    endOutput();
    if (unread) {
      reset();
    }
  }

  private void reset() {
    if (transport instanceof KernelTransport kernel) {
      try {
        Sockets.linger(kernel.descriptor(socket), 0);
      } catch (SysException gone) {
        // then there is nothing to reset
      }
    }
  }
}
