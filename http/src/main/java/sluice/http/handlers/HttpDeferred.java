package sluice.http.handlers;

/// A handler of the requests that a route's interruptlet does not answer. It is either an
/// [HttpSlowHandler], which runs on a thread that may block, or an [HttpAsyncHandler], which
/// answers later.
public sealed interface HttpDeferred permits HttpSlowHandler, HttpAsyncHandler {
  /// Returns true if the handler is invoked for the next request with a body before the body has
  /// arrived, and reads it from [HttpMessage#bodyStream]. The body may then have any length, and
  /// the reply may start before its end. If a client sends less than 16 KiB per second although
  /// there is space in the buffer, reading the body fails.
  ///
  /// Returns false if the handler is only invoked for requests with complete bodies of up to
  /// [Route#bodyBytes]. Called on the loop's thread.
  default boolean streamsBodies() {
    return false;
  }
}
