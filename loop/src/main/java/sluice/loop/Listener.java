package sluice.loop;

import java.io.IOException;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Transport;
import sluice.loop.tls.TlsContext;

/// A listening socket of one loop and the protocol its connections speak. Owned by the loop's
/// thread.
public final class Listener {
  /// ```
  /// IDLE ──arm──▶ ARMED ──accept ended──▶ IDLE, or PAUSED ──descriptors──▶ ARMED
  ///   │             └──stop──▶ STOPPING, or RETURNED ──accept ended──▶ CLOSED
  ///   └──stop──▶ CLOSED
  /// ```
  enum State {
    /// No accept is in flight.
    IDLE,

    /// The transport accepts.
    ARMED,

    /// Accepting goes on when there are descriptors again.
    PAUSED,

    /// The accept is cancelled, and has not ended.
    STOPPING,

    /// The transport accepts what waits and closes the socket: the handle is given back, and may be
    /// that of another socket.
    RETURNED,

    CLOSED;

    boolean isStopped() {
      return this == STOPPING || this == RETURNED || this == CLOSED;
    }
  }

  final Transport transport;
  final int index;
  final int handle;
  final Protocol protocol;

  /// The socket has another owner too, which goes on using it.
  final boolean adopted;

  /// What its connections encrypt with; null when they do not.
  final @Nullable TlsContext tls;

  State state = State.IDLE;

  /// Its protocol takes no more clients for now.
  boolean held;

  /// There is no place for its clients, which wait.
  boolean starved;

  /// Runs once the close has been submitted, a turn later.
  Runnable whenClosed = () -> {};

  /// A listening socket of a transport.
  ///
  /// @param adopted whether it was passed in, and has another owner too
  record Handle(Transport transport, int number, boolean adopted) {}

  Listener(int index, Handle handle, Protocol protocol, @Nullable TlsContext tls) {
    this.transport = handle.transport;
    this.handle = handle.number;
    this.adopted = handle.adopted;
    this.index = index;
    this.protocol = protocol;
    this.tls = tls;
  }

  /// The bound address, with the port the kernel chose if 0 was asked for.
  public SocketAddress localAddress() throws IOException {
    return transport.localAddress(handle);
  }
}
