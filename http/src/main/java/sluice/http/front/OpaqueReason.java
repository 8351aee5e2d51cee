package sluice.http.front;

/// The reason why all further bytes of a connection are forwarded to the application.
public enum OpaqueReason {
  /// The first byte starts a TLS handshake.
  TLS,
  /// The client's bytes are not a request that all recipients are required to interpret in the same
  /// way.
  REQUEST,
  /// A chunked body of the client is malformed, or its framing is longer than the limit.
  REQUEST_BODY,
  /// The client has asked to close, or cannot send another request.
  CLIENT_CLOSES,
  /// The application's bytes are not a reply that all recipients are required to interpret in the
  /// same way.
  REPLY,
  /// A chunked reply is malformed, or its framing is longer than the limit.
  REPLY_BODY,
  /// Receiving a head took too long. The application decides how to handle it.
  SLOW_HEAD,
  /// The application closes the connection after the reply, or terminates the reply by closing it.
  SERVER_CLOSES,
  /// The application has replied `101 Switching Protocols`.
  UPGRADED,
  /// A `CONNECT` request has succeeded.
  CONNECTED,
  /// The application has written bytes although no reply was owed.
  UNSOLICITED,
  /// The application replied before a client that waits for `100 Continue` had sent its body. Only
  /// the client and the application know if the body will still be sent (RFC 9110, 10.1.1).
  NOT_CONTINUED
}
