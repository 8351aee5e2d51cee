package sluice.nio.adaptors;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// The operations that a listening channel provides to its `ServerSocket` in addition to the
/// methods of `ServerSocketChannel`. Any thread may call them.
public interface AdaptedListener {
  /// Returns the local address, or null if the socket is not bound. The address remains available
  /// after the channel is closed.
  @Nullable SocketAddress localAddress();

  /// Makes this channel behave as the implementation of a `java.net.ServerSocket` from now on.
  /// Interrupting a platform thread that is blocked in accept neither wakes the thread nor closes
  /// the channel, whereas interrupting a virtual thread closes the channel. The same applies to the
  /// accepted channels. This channel also supports the option `IP_TOS`, which other listening
  /// channels do not.
  void behaveAsSocket();

  /// Accepts a connection. The channel must be in blocking mode.
  ///
  /// @param nanos the timeout, or a negative number to wait indefinitely
  SocketChannel blockingAccept(long nanos) throws IOException;
}
