package sluice.http.handlers;

/// A handler of the requests that a route's interruptlet leaves: an [HttpSlowHandler], on a thread
/// where it may block, or an [HttpAsyncHandler], which answers later.
public sealed interface HttpDeferred permits HttpSlowHandler, HttpAsyncHandler {
  /// Returns true if the handler gets the next request that has a body before the body has come,
  /// and reads it from [HttpMessage#bodyStream]: it may have any length, and the reply may begin
  /// before its end. Of a client that brings less than 16 KiB a second while it could, the body is
  /// broken.
  ///
  /// False: the handler gets requests whose bodies have come whole, of up to [Route#bodyBytes].
  /// Called on the loop's thread.
  default boolean streamsBodies() {
    return false;
  }
}
