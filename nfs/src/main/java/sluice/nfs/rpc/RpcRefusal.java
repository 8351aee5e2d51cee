package sluice.nfs.rpc;

/// A program's refusal of a call as a whole, in the terms of RFC 5531, section 9. Thrown by
/// whichever thread handles the call; whatever was written of its results is dropped.
public final class RpcRefusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// `accept_stat`: the procedure is unknown.
  public static final int PROCEDURE_UNAVAILABLE = 3;

  /// `accept_stat`: the arguments cannot be decoded.
  public static final int GARBAGE_ARGUMENTS = 4;

  /// `accept_stat`: no memory, or a fault of the server.
  public static final int SYSTEM_ERROR = 5;

  /// Added to an `auth_stat`.
  private static final int AUTHENTICATION = 0x100;

  /// `auth_stat`: the credentials cannot be decoded.
  static final int AUTH_BADCRED = AUTHENTICATION + 1;

  /// `auth_stat`: the verifier cannot be decoded, or should not be there.
  static final int AUTH_BADVERF = AUTHENTICATION + 3;

  /// `auth_stat`: another flavor, or another client, is wanted.
  static final int AUTH_TOOWEAK = AUTHENTICATION + 5;

  private final int reason;

  /// @param reason one of the above
  public RpcRefusal(int reason) {
    super("the call is refused: " + reason, null, false, false);
    this.reason = reason;
  }

  /// Whether it is an `auth_stat`: the reply is MSG_DENIED then.
  boolean ofCredentials() {
    return reason >= AUTHENTICATION;
  }

  /// The `accept_stat` or `auth_stat`.
  public int status() {
    return reason & AUTHENTICATION - 1;
  }
}
