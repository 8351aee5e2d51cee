package sluice.nio.channels;

import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// A source of accepted connections for a listening channel, such as a ring that accepts ahead. The
/// holder of the channel's accept lock calls, except where documented otherwise.
public interface AcceptPort {
  /// Returns true if all connections come from here, so that the kernel's queue is neither read nor
  /// watched.
  default boolean bringsAll() {
    return false;
  }

  /// Handles the channel that was created for the descriptor returned last by [#accept].
  default void accepted(SluiceSocketChannel channel) {}

  /// Accepts a connection.
  ///
  /// @return a descriptor, or a negative errno
  int accept();

  /// Returns the peer's address of the connection returned last by [#accept]; null if it is gone.
  @Nullable SocketAddress remote(int fd);

  /// Returns true if [#accept] would return a connection or an error. Any thread may call.
  boolean acceptable();

  /// Returns true if the ring has released the channel for good: no accepted connection is left,
  /// and the kernel has no accept operation waiting for it any more. Any thread may call.
  boolean isOver();

  /// Releases the channel from the ring. Accepted connections stay here.
  void release();

  /// Prepares for the close of the channel's descriptor. Called on the closing thread, without
  /// locks.
  void beforeClose();
}
