package sluice.bench.vi;

/// One end of a connection: sends messages and receives them in their order, at most [#WINDOW] on
/// their way. Owned by the worker's main thread.
interface ViEnd extends AutoCloseable {
  /// A power of two.
  int WINDOW = 16;

  /// Sends a message with this first byte, when there is room for it.
  void send(int bytes, byte mark) throws Exception;

  /// Waits for a message.
  ///
  /// @return its first byte
  byte receive() throws Exception;

  /// The message that was received last is no longer needed: its room is posted again.
  void done() throws Exception;

  @Override
  void close();
}
