package sluice.http.handlers;

import sluice.http.parse.HttpRequest;

/// Answers requests where their bytes landed: runs to completion on the loop's thread, and its
/// reply leaves with the turn. One instance belongs to one loop, so it may keep plain fields.
///
/// It must not block and not take long: while it runs, no other connection of its loop is served.
/// It is trusted and watched. A handler that runs longer than its [Route] allows is reported with
/// its stack, fails the server's health, and is disabled when it returns; its requests then go to
/// the slow handler of the route, or are answered 503.
@FunctionalInterface
public interface HttpInterruptlet {
  /// Answers a request, or leaves it to the slow path.
  ///
  /// What it throws is logged and answered 500.
  ///
  /// @param request good until this method returns. A body is whole: `contentLength()` bytes of
  ///   `view()` from `from() + headLength()`. Requests with a body of more than
  ///   [HttpHandlers#HELD_BODY_BYTES] bytes or of unknown length are never shown to it
  /// @param reply filled in place; good until this method returns
  /// @return true when the reply is complete; false when the request is not its: what was written
  ///   is forgotten, and the slow handler of the route answers, or the site when there is none
  boolean handle(HttpRequest request, HttpReply reply);
}
