package sluice.http.handlers;

import sluice.loop.Loop;

/// Takes requests on the loop's thread, without blocking it, and has them answered later; no thread
/// of the server waits meanwhile. All loops of a server use the same handler.
///
/// Replies of one connection leave in the order of its requests; the next request of the connection
/// waits until this one is answered.
@FunctionalInterface
public non-sealed interface HttpAsyncHandler extends HttpDeferred {
  /// Takes a request. An exception is logged and answered 500.
  ///
  /// @param request a copy, body included
  /// @param responder answers it, once, on any thread, but one at a time; on the loop's thread only
  ///   by [HttpResponder#sendHere]. The request has to be answered even if the client has gone
  /// @param loop the loop that the calling thread owns
  void take(HttpMessage request, HttpResponder responder, Loop loop);
}
