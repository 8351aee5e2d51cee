package sluice.http.front;

/// Why a connection is the application's alone from now on.
public enum OpaqueReason {
  /// The first byte is that of a TLS handshake.
  TLS,
  /// The bytes of the client are no request that two recipients must understand alike.
  REQUEST,
  /// A chunked body of the client is malformed, or its framing is larger than is looked at.
  REQUEST_BODY,
  /// The client has asked to close, or cannot ask for more.
  CLIENT_CLOSES,
  /// The bytes of the application are no reply that two recipients must understand alike.
  REPLY,
  /// A chunked reply is malformed, or its framing is larger than is looked at.
  REPLY_BODY,
  /// A head has taken too long: what becomes of it is the application's matter.
  SLOW_HEAD,
  /// The application closes after the reply, or the reply ends by the close.
  SERVER_CLOSES,
  /// `101 Switching Protocols`.
  UPGRADED,
  /// `CONNECT` has succeeded.
  CONNECTED,
  /// The application wrote although no reply was owed.
  UNSOLICITED,
  /// The application answered before a client that waits for `100 Continue` had sent its body: only
  /// the two of them know whether it still comes (RFC 9110, 10.1.1).
  NOT_CONTINUED
}
