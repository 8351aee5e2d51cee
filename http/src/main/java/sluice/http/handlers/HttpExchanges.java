package sluice.http.handlers;

import sluice.loop.Connection;

/// The requests and replies of a loop's connections, as handlers use them. The protocol implements
/// it; the loop's thread calls.
public interface HttpExchanges extends SlowReply.Stream {
  HandlerSession session(Connection connection);

  /// Has the body of the request that was parsed last skipped.
  ///
  /// @return true if the connection stays open after the reply; false if the body is too long to
  ///   skip, or may never be sent
  boolean keepAfterBody(Connection connection);

  /// Refuses the request that was parsed last; its body is skipped.
  ///
  /// @param fields header lines, each with CRLF
  void refuseRequest(Connection connection, int status, byte[] fields);

  /// Refuses a request whose body is incomplete, or cannot be stored.
  ///
  /// @param head the head of the request
  void refuse(Connection connection, int status, byte[] head);

  /// Answers the request that was parsed last with an error.
  ///
  /// @param fields header lines, each with CRLF
  void finish(Connection connection, int status, byte[] fields, boolean keep);

  /// Records that the reply to the request that was parsed last is staged.
  void replied(Connection connection, boolean keep);
}
