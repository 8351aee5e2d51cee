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

  /// From now on interrupting a platform thread that accepts neither wakes it nor closes the
  /// channel, as with `java.net.ServerSocket`; the channels it accepts are the same. A virtual
  /// thread is ended by it, as there too.
  void ignoreInterrupts();

  /// Accepts a connection; the channel is in blocking mode.
  ///
  /// @param nanos negative waits without limit
  SocketChannel blockingAccept(long nanos) throws IOException;
}
