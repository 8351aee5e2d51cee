package sluice.http.handlers;

import sluice.http.parse.HttpRequest;

/// Answers requests in place: it runs to completion on the loop's thread, and its reply leaves with
/// the turn. One instance belongs to one loop, so it may keep plain fields.
///
/// It must not block or run long: while it runs, no other connection of its loop is served. It is
/// trusted, but watched. A handler that runs longer than its [Route] allows is reported with its
/// stack, fails the server's health check, and is disabled when it returns; its requests then go to
/// the slow handler of the route, or are answered 503.
@FunctionalInterface
public interface HttpInterruptlet {
  /// Answers a request, or leaves it to the slow path.
  ///
  /// An exception is logged and answered 500.
  ///
  /// @param request valid until this method returns. A body is complete: `contentLength()` bytes of
  ///   `view()` from `from() + headLength()`. Requests with a body of more than
  ///   [HttpHandlers#HELD_BODY_BYTES] bytes or of unknown length are not passed to it
  /// @param reply filled in place; valid until this method returns
  /// @return true if the reply is complete; false to leave the request: the bytes written are
  ///   discarded, and the slow handler of the route answers, or the site if there is none
  boolean handle(HttpRequest request, HttpReply reply);
}
