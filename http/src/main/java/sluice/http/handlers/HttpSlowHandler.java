package sluice.http.handlers;

/// Answers requests off the loop, where it may block: on a virtual thread of its own, unless the
/// server was given another executor. Any number of threads may be in one handler.
///
/// Replies of one connection leave in the order of its requests; the next request of the connection
/// waits until this one is answered.
@FunctionalInterface
public non-sealed interface HttpSlowHandler extends HttpDeferred {
  /// Answers a request with one of the `send` or `stream` methods, before it returns.
  ///
  /// Returning without an answer, or throwing before one was begun, is logged and answered 500.
  /// Throwing in the middle of a stream cuts the connection off, so that the client does not take
  /// what it has for the whole.
  ///
  /// @param request a copy, body included
  /// @throws ClientGoneException as it came from the responder: nothing waits for the answer
  void handle(HttpMessage request, HttpResponder responder) throws Exception;
}
