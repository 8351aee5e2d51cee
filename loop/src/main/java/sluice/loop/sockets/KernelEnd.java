package sluice.loop.sockets;

import sluice.loop.engine.KernelTransport;
import sluice.loop.engine.Transport;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// A kernel-like close of a connection whose unread bytes are in user memory. Closing its
/// descriptor has the same effect that `close(2)` would have if the bytes were still in the kernel.
/// Owned by the loop's thread until the descriptor is closed.
///
/// If bytes were left unread, the kernel resets the connection, and bytes that the peer has not
/// received are lost. Because the bytes sent by the loop are supposed to be received, the close is
/// delayed while the peer receives them ([#isDue]).
public final class KernelEnd {
  private final Transport transport;
  private final int socket;
  private final boolean endsFirst;
  private boolean unread;
  private boolean begun;

  /// @param endsFirst true if a FIN is sent before a reset
  public KernelEnd(Transport transport, int socket, boolean endsFirst) {
    this.transport = transport;
    this.socket = socket;
    this.endsFirst = endsFirst;
  }

  /// Records that bytes were left unread. This includes bytes that arrive after [#begin].
  public void leftUnread() {
    unread = true;
    if (begun) {
      reset();
    }
  }

  /// Sends a FIN if it precedes a reset. Called when all output has been submitted to the kernel.
  public void endOutput() {
    if (endsFirst) {
      transport.shutdown(socket, Sockets.SHUT_WR);
    }
  }

  /// Returns true if closing now does not destroy any data in transit to the peer.
  public boolean isDue() {
    if (!(transport instanceof KernelTransport kernel)) {
      return true;
    }
    int fd = kernel.descriptor(socket);
    return !(unread || resetsAlways(fd)) || Sockets.allAcknowledged(fd);
  }

  /// Returns true if closing always resets the connection.
  private static boolean resetsAlways(int fd) {
    try {
      return Sockets.linger(fd) == 0;
    } catch (SysException gone) {
      return true; // then there is nothing to end
    }
  }

  /// Prepares the socket for its close.
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
        // The connection no longer exists, so it does not have to be reset.
      }
    }
  }
}
