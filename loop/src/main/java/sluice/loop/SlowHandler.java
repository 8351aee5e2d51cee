package sluice.loop;

import java.io.OutputStream;

/// Answers messages with ordinary code that may block: on the slow path, a virtual thread for each
/// unless the server was given another. Several messages are answered at a time, but of one
/// connection only one: the next is looked at when this one has been answered.
@FunctionalInterface
public interface SlowHandler {
  /// Answers a message.
  ///
  /// What it throws is logged and ends the connection, unless the client has gone.
  ///
  /// @param message a copy, the handler's own
  /// @param reply what is written leaves in order, complete when this method returns. Writing
  ///   blocks while the client does not read, and throws an `IOException` when it has gone
  void handle(byte[] message, OutputStream reply) throws Exception;
}
