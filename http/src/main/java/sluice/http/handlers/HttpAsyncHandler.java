package sluice.http.handlers;

import sluice.loop.Loop;

/// Takes requests on the loop's thread, without holding it up, and has them answered later: no
/// thread of the server waits meanwhile. Used by all loops of a server.
///
/// Replies of one connection leave in the order of its requests; the next request of the connection
/// waits until this one is answered.
@FunctionalInterface
public non-sealed interface HttpAsyncHandler extends HttpDeferred {
  /// Takes a request. What this throws is logged and answered 500.
  ///
  /// @param request a copy, body included
  /// @param responder answers it, once, on any thread, one at a time; on the loop's thread by
  ///   [HttpResponder#sendHere] alone. Answering is no less due when the client has gone
  /// @param loop that the calling thread owns
  void take(HttpMessage request, HttpResponder responder, Loop loop);
}
