package sluice.nio.channels;

import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// What a ring does for a listening channel: it accepts ahead. The holder of the channel's accept
/// lock calls; the rest as said.
public interface AcceptPort {
  /// Whether all connections come from here: the kernel's queue is neither asked nor watched.
  default boolean bringsAll() {
    return false;
  }

  /// Told of the channel that was made of the descriptor which [#accept] has given last.
  default void accepted(SluiceSocketChannel channel) {}

  /// @return a descriptor, or a negative errno
  int accept();

  /// Where the connection comes from that [#accept] has given last; null when it is gone.
  @Nullable SocketAddress remote(int fd);

  /// Whether [#accept] would give something. Any thread.
  boolean acceptable();

  /// Whether the ring has let go of the channel for good: nothing that it has accepted is left, and
  /// the kernel has nothing of it any more that waits for connections. Any thread.
  boolean isOver();

  /// The ring lets go of the channel; what it has accepted stays here.
  void release();

  /// The channel is about to close its descriptor. The closing thread, without locks.
  void beforeClose();
}
