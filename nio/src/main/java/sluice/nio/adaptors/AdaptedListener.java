package sluice.nio.adaptors;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// The operations of a listening channel for its `ServerSocket`, beyond the methods of
/// `ServerSocketChannel`. Any thread may call.
public interface AdaptedListener {
  /// Returns the local address, also after closing; null while there is none.
  @Nullable SocketAddress localAddress();

  /// Makes the channel behave as the implementation of a `java.net.ServerSocket` from now on.
  /// Interrupting a platform thread that accepts neither wakes it nor closes the channel, and the
  /// same holds for the accepted channels; interrupting a virtual thread closes the channel. The
  /// channel also gets the option `IP_TOS`, which channels lack.
  void behaveAsSocket();

  /// Accepts a connection; the channel is in blocking mode.
  ///
  /// @param nanos negative waits without limit
  SocketChannel blockingAccept(long nanos) throws IOException;
}
