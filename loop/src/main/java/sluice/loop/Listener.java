package sluice.loop;

import java.io.IOException;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Transport;
import sluice.loop.tls.TlsContext;

/// A listening socket of one loop, and the protocol of its connections. Owned by the loop's thread.
public final class Listener {
  /// ```
  /// IDLE ──arm──▶ ARMED ──accept ended──▶ IDLE, or PAUSED ──descriptors──▶ ARMED
  ///   │             └──stop──▶ STOPPING, or RETURNED ──accept ended──▶ CLOSED
  ///   └──stop──▶ CLOSED
  /// ```
  enum State {
    /// No accept is in flight.
    IDLE,

    /// The transport is accepting.
    ARMED,

    /// Accepting resumes when descriptors are available.
    PAUSED,

    /// The accept has been cancelled but has not completed.
    STOPPING,

    /// The transport accepts the waiting clients and closes the socket. The handle has been
    /// released and may already refer to another socket.
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

  /// True if the socket has another owner, which continues to use it.
  final boolean adopted;

  /// The TLS context of its connections, or null for connections without TLS.
  final @Nullable TlsContext tls;

  State state = State.IDLE;

  /// True if its protocol currently accepts no more clients.
  boolean held;

  /// True if its clients are waiting because there is no place for them.
  boolean starved;

  /// Runs a turn after the close has been submitted.
  Runnable whenClosed = () -> {};

  /// A listening socket of a transport.
  ///
  /// @param adopted true if the socket was passed in and has another owner
  record Handle(Transport transport, int number, boolean adopted) {}

  Listener(int index, Handle handle, Protocol protocol, @Nullable TlsContext tls) {
    this.transport = handle.transport;
    this.handle = handle.number;
    this.adopted = handle.adopted;
    this.index = index;
    this.protocol = protocol;
    this.tls = tls;
  }

  /// Returns the bound address, including the port chosen by the kernel if port 0 was requested.
  public SocketAddress localAddress() throws IOException {
    return transport.localAddress(handle);
  }
}
