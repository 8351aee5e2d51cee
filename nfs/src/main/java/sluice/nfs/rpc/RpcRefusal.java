package sluice.nfs.rpc;

/// The refusal of a whole call, in the terms of RFC 5531, section 9. Thrown by the thread that
/// handles the call; the results written so far are discarded.
public final class RpcRefusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// An `accept_stat`: the procedure is unknown.
  public static final int PROCEDURE_UNAVAILABLE = 3;

  /// An `accept_stat`: the arguments cannot be decoded.
  public static final int GARBAGE_ARGUMENTS = 4;

  /// An `accept_stat`: the server has no memory or an internal error.
  public static final int SYSTEM_ERROR = 5;

  /// The offset that marks a reason as `auth_stat`.
  private static final int AUTHENTICATION = 0x100;

  /// An `auth_stat`: the credentials cannot be decoded.
  static final int AUTH_BADCRED = AUTHENTICATION + 1;

  /// An `auth_stat`: the verifier cannot be decoded or is not allowed.
  static final int AUTH_BADVERF = AUTHENTICATION + 3;

  /// An `auth_stat`: the flavor or the client is not accepted.
  static final int AUTH_TOOWEAK = AUTHENTICATION + 5;

  private final int reason;

  /// Creates a refusal.
  ///
  /// @param reason one of the constants of this class
  public RpcRefusal(int reason) {
    super("the call is refused: " + reason, null, false, false);
    this.reason = reason;
  }

  /// Returns true for an `auth_stat`, which is sent as MSG_DENIED.
  boolean ofCredentials() {
    return reason >= AUTHENTICATION;
  }

  /// Returns the `accept_stat` or `auth_stat`.
  public int status() {
    return reason & AUTHENTICATION - 1;
  }
}
