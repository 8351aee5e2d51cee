package sluice.http.handlers;

import sluice.http.parse.HttpRequest;

/// A handler that answers requests directly on the loop's thread. It runs to completion, and its
/// reply is sent at the end of the turn. Each instance belongs to one loop, so its fields need no
/// synchronization.
///
/// It must neither block nor run for a long time, because no other connection of its loop is served
/// while it is running. If it runs longer than its [Route] allows, it is reported with its stack
/// trace, the health check of the server fails, and it is disabled when it returns. Its requests
/// are then passed to the slow handler of the route, or answered 503 if there is none.
@FunctionalInterface
public interface HttpInterruptlet {
  /// Answers a request or delegates it to the slow path.
  ///
  /// If an exception is thrown, it is logged and the request is answered 500.
  ///
  /// @param request the request, which is valid until this method returns. If it has a body, the
  ///   body is complete and consists of `contentLength()` bytes of `view()` starting at `from() +
  ///   headLength()`. Requests with a body of more than [HttpHandlers#HELD_BODY_BYTES] bytes or of
  ///   unknown length are not passed to it
  /// @param reply the reply to be written, which is valid until this method returns
  /// @return true if the reply is complete. If the result is false, the bytes written are discarded
  ///   and the request is answered by the slow handler of the route, or by the site if there is
  ///   none
  boolean handle(HttpRequest request, HttpReply reply);
}
