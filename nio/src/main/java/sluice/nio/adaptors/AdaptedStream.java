package sluice.nio.adaptors;

import java.io.IOException;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// The operations that a stream channel provides to its `Socket` in addition to the methods of
/// `SocketChannel`. Any thread may call them.
public interface AdaptedStream {
  /// Returns the local address, or null if the socket is not bound. The address remains available
  /// after the channel is closed.
  @Nullable SocketAddress localAddress();

  /// Returns the peer's address, or null if the socket is not connected. The address remains
  /// available after the channel is closed.
  @Nullable SocketAddress remoteAddress();

  /// Returns true if the input has not been shut down.
  boolean isInputOpen();

  /// Returns true if the output has not been shut down.
  boolean isOutputOpen();

  /// Connects a channel that is in blocking mode.
  ///
  /// @param nanos the timeout, or a negative number to wait indefinitely
  void blockingConnect(SocketAddress remote, long nanos) throws IOException;

  /// Returns the number of bytes that can be read without blocking.
  int available() throws IOException;

  /// Reads up to the given number of bytes, blocking until at least one byte is available.
  ///
  /// @param nanos the timeout, or zero or a negative number to wait indefinitely
  /// @return the number of bytes read, or -1 at the end of the stream
  int blockingRead(byte[] bytes, int offset, int length, long nanos) throws IOException;

  /// Writes all of the given bytes, blocking as long as necessary.
  void blockingWriteFully(byte[] bytes, int offset, int length) throws IOException;

  /// Sends one byte of urgent data.
  ///
  /// @return 1 if the byte was sent, or 0 if the send buffer is full
  int sendUrgent(byte value) throws IOException;
}
