package sluice.nio.adaptors;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// What a listening channel does for its `ServerSocket` beyond the methods of
/// `ServerSocketChannel`. Any thread calls.
public interface AdaptedListener {
  /// The local address, also after closing; null while there is none.
  @Nullable SocketAddress localAddress();

  /// From now on this does what `java.net.ServerSocket` has below it. Interrupting a platform
  /// thread that accepts neither wakes it nor closes the channel, and the channels it accepts are
  /// the same; a virtual thread is ended by it. And it has the option that channels lack, `IP_TOS`.
  void behaveAsSocket();

  /// Accepts a connection; the channel is in blocking mode.
  ///
  /// @param nanos negative waits without limit
  SocketChannel blockingAccept(long nanos) throws IOException;
}
