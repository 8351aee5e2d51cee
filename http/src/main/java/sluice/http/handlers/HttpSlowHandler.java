package sluice.http.handlers;

/// A handler that may block, because it does not run on the loop's thread. Each request is handled
/// on a new virtual thread unless the server is configured with another executor. Any number of
/// threads may call a handler concurrently.
///
/// The replies of a connection are sent in the order of its requests. The next request of the
/// connection is not handled until the current one has been answered.
@FunctionalInterface
public non-sealed interface HttpSlowHandler extends HttpDeferred {
  /// Answers a request with one of the `send` or `stream` methods before this method returns.
  ///
  /// If the handler returns without an answer, or throws an exception before it has started one,
  /// the error is logged and the request is answered 500. An exception in the middle of a stream
  /// aborts the connection, so that the client does not mistake the partial reply for a complete
  /// one.
  ///
  /// @param request a copy of the request, including its body
  /// @throws ClientGoneException if the responder has thrown it because the client has disconnected
  void handle(HttpMessage request, HttpResponder responder) throws Exception;
}
