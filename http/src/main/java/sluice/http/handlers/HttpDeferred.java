package sluice.http.handlers;

/// A handler of the requests that a route's interruptlet leaves: an [HttpSlowHandler], on a thread
/// where it may block, or an [HttpAsyncHandler], which answers later.
public sealed interface HttpDeferred permits HttpSlowHandler, HttpAsyncHandler {
  /// Returns true if the handler gets the next request with a body before the body has arrived, and
  /// reads it from [HttpMessage#bodyStream]. The body may then have any length, and the reply may
  /// begin before its end. If a client sends less than 16 KiB a second although there is room, the
  /// body is broken.
  ///
  /// Returns false if the handler gets requests with complete bodies, of up to [Route#bodyBytes].
  /// Called on the loop's thread.
  default boolean streamsBodies() {
    return false;
  }
}
