package sluice.nio.adaptors;

import java.io.IOException;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// What a stream channel does for its `Socket` beyond the methods of `SocketChannel`. Any thread
/// calls.
public interface AdaptedStream {
  /// The local address, also after closing; null while there is none.
  @Nullable SocketAddress localAddress();

  /// The peer's address, also after closing; null while there is none.
  @Nullable SocketAddress remoteAddress();

  /// Whether the input was not shut down.
  boolean isInputOpen();

  /// Whether the output was not shut down.
  boolean isOutputOpen();

  /// Connects a channel in blocking mode.
  ///
  /// @param nanos negative waits without limit
  void blockingConnect(SocketAddress remote, long nanos) throws IOException;

  /// Bytes that can be read without waiting.
  int available() throws IOException;

  /// Reads some bytes.
  ///
  /// @param nanos 0 or negative waits without limit
  /// @return bytes, or -1 at the end
  int blockingRead(byte[] bytes, int offset, int length, long nanos) throws IOException;

  /// Writes all of it.
  void blockingWriteFully(byte[] bytes, int offset, int length) throws IOException;

  /// Sends one byte of urgent data.
  ///
  /// @return 1, or 0 when there is no room
  int sendUrgent(byte value) throws IOException;
}
