package sluice.bench.vi;

/// An end of a connection: sends messages and receives them in their order, with at most [#WINDOW]
/// under way. Owned by the worker's main thread.
interface ViEnd extends AutoCloseable {
  /// The greatest number of messages under way, a power of two.
  int WINDOW = 16;

  /// Sends a message with this first byte, once there is room for it.
  void send(int bytes, byte mark) throws Exception;

  /// Waits for a message.
  ///
  /// @return its first byte
  byte receive() throws Exception;

  /// Releases the message that was received last: its buffer is posted again.
  void done() throws Exception;

  @Override
  void close();
}
