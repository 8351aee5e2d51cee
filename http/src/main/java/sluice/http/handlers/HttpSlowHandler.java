package sluice.http.handlers;

/// Answers requests off the loop, where it may block: on a virtual thread of its own, unless the
/// server was given another executor. Any number of threads may call one handler at the same time.
///
/// Replies of one connection leave in the order of its requests; the next request of the connection
/// waits until this one is answered.
@FunctionalInterface
public non-sealed interface HttpSlowHandler extends HttpDeferred {
  /// Answers a request with one of the `send` or `stream` methods, before it returns.
  ///
  /// If the handler returns without an answer, or throws before it has begun one, the error is
  /// logged and answered 500. An exception in the middle of a stream cuts the connection off, so
  /// that the client does not take the part it has for the whole.
  ///
  /// @param request a copy, body included
  /// @throws ClientGoneException as thrown by the responder: nothing waits for the answer
  void handle(HttpMessage request, HttpResponder responder) throws Exception;
}
