package sluice.nio.channels;

import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// A source of accepted connections for a listening channel, such as a ring that accepts in
/// advance. The methods are called by the holder of the channel's accept lock, except where
/// documented otherwise.
public interface AcceptPort {
  /// Returns true if this port delivers all connections, in which case the channel neither reads
  /// nor watches the kernel's accept queue.
  default boolean bringsAll() {
    return false;
  }

  /// Notifies this port that a channel was created for the descriptor that [#accept] returned last.
  default void accepted(SluiceSocketChannel channel) {}

  /// Accepts a connection.
  ///
  /// @return the descriptor of the connection, or a negative errno
  int accept();

  /// Returns the peer's address of the connection that [#accept] returned last, or null if the peer
  /// has already disconnected.
  @Nullable SocketAddress remote(int fd);

  /// Returns true if [#accept] would return a connection or an error. Any thread may call.
  boolean acceptable();

  /// Returns true if the ring has finished with the channel, which means that no accepted
  /// connection remains here and the kernel has no pending accept operation for it. Any thread may
  /// call.
  boolean isOver();

  /// Detaches the channel from the ring. Connections that were already accepted remain in this
  /// port.
  void release();

  /// Prepares for closing the channel's descriptor. This method is called on the closing thread,
  /// which holds no locks.
  void beforeClose();
}
