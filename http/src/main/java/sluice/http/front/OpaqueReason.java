package sluice.http.front;

/// The reason why all further bytes of a connection go to the application.
public enum OpaqueReason {
  /// The first byte begins a TLS handshake.
  TLS,
  /// The client's bytes are not a request that all recipients must interpret in the same way.
  REQUEST,
  /// A chunked body of the client is malformed, or its framing is longer than the limit.
  REQUEST_BODY,
  /// The client has asked to close, or cannot send another request.
  CLIENT_CLOSES,
  /// The application's bytes are not a reply that all recipients must interpret in the same way.
  REPLY,
  /// A chunked reply is malformed, or its framing is longer than the limit.
  REPLY_BODY,
  /// A head has taken too long; the application decides what to do with it.
  SLOW_HEAD,
  /// The application closes after the reply, or the reply ends by the close.
  SERVER_CLOSES,
  /// `101 Switching Protocols`.
  UPGRADED,
  /// `CONNECT` has succeeded.
  CONNECTED,
  /// The application wrote although no reply was owed.
  UNSOLICITED,
  /// The application answered before a client that waits for `100 Continue` had sent its body. Only
  /// the client and the application know if the body still comes (RFC 9110, 10.1.1).
  NOT_CONTINUED
}
