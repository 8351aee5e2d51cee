package sluice.http.handlers;

import sluice.loop.Loop;

/// A handler that accepts requests on the loop's thread without blocking it and answers them later.
/// No thread of the server waits for the answer. All loops of a server use the same handler.
///
/// The replies of a connection are sent in the order of its requests. The next request of the
/// connection is not handled until the current one has been answered.
@FunctionalInterface
public non-sealed interface HttpAsyncHandler extends HttpDeferred {
  /// Accepts a request. If an exception is thrown, it is logged and the request is answered 500.
  ///
  /// @param request a copy of the request, including its body
  /// @param responder answers the request, once. It may be used on any thread, but only by one at a
  ///   time. On the loop's thread only [HttpResponder#sendHere] may be used. The request must be
  ///   answered even if the client has disconnected
  /// @param loop the loop that is owned by the calling thread
  void take(HttpMessage request, HttpResponder responder, Loop loop);
}
