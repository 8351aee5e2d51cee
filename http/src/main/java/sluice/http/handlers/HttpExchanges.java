package sluice.http.handlers;

import sluice.loop.Connection;

/// The requests and replies of a loop's connections, as handlers use them. The protocol implements
/// it; the loop's thread calls.
public interface HttpExchanges extends SlowReply.Stream {
  HandlerSession session(Connection connection);

  /// Starts skipping the body of the most recently parsed request.
  ///
  /// @return true if the connection remains open after the reply, or false if the body is too long
  ///   to skip or may never be sent
  boolean keepAfterBody(Connection connection);

  /// Refuses the most recently parsed request and skips its body.
  ///
  /// @param fields header lines, each with CRLF
  void refuseRequest(Connection connection, int status, byte[] fields);

  /// Refuses a request whose body is incomplete, or cannot be stored.
  ///
  /// @param head the head of the request
  void refuse(Connection connection, int status, byte[] head);

  /// Answers the most recently parsed request with an error.
  ///
  /// @param fields header lines, each with CRLF
  void finish(Connection connection, int status, byte[] fields, boolean keep);

  /// Records that the reply to the most recently parsed request has been staged.
  void replied(Connection connection, boolean keep);
}
