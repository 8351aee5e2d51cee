package sluice.nio.adaptors;

import java.io.IOException;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// The operations of a stream channel for its `Socket`, beyond the methods of `SocketChannel`. Any
/// thread may call.
public interface AdaptedStream {
  /// Returns the local address, also after closing; null while there is none.
  @Nullable SocketAddress localAddress();

  /// Returns the peer's address, also after closing; null while there is none.
  @Nullable SocketAddress remoteAddress();

  /// Returns true if the input was not shut down.
  boolean isInputOpen();

  /// Returns true if the output was not shut down.
  boolean isOutputOpen();

  /// Connects a channel in blocking mode.
  ///
  /// @param nanos negative waits without limit
  void blockingConnect(SocketAddress remote, long nanos) throws IOException;

  /// Returns the number of bytes that can be read without waiting.
  int available() throws IOException;

  /// Reads some bytes.
  ///
  /// @param nanos 0 or negative waits without limit
  /// @return the number of bytes, or -1 at the end
  int blockingRead(byte[] bytes, int offset, int length, long nanos) throws IOException;

  /// Writes all bytes.
  void blockingWriteFully(byte[] bytes, int offset, int length) throws IOException;

  /// Sends one byte of urgent data.
  ///
  /// @return 1, or 0 if there is no room
  int sendUrgent(byte value) throws IOException;
}
