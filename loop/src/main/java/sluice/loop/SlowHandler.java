package sluice.loop;

import java.io.OutputStream;

/// A handler that answers messages with ordinary code, which may block. It runs on the slow path,
/// on a virtual thread per message unless the server was configured with another executor. Messages
/// are answered concurrently, but only one per connection: the next message is handled after the
/// current one has been answered.
@FunctionalInterface
public interface SlowHandler {
  /// Answers a message. An exception is logged and closes the connection, unless the client has
  /// disconnected.
  ///
  /// @param message a copy that is owned by the handler
  /// @param reply sends the written bytes in order, and is complete when this method returns.
  ///   Writing blocks while the client does not read, and throws an `IOException` if the client has
  ///   disconnected
  void handle(byte[] message, OutputStream reply) throws Exception;
}
