package sluice.nfs.rpc;

/// The refusal of a whole call, in the terms of RFC 5531, section 9. It is thrown by the thread
/// that processes the call, and the results that have been written so far are discarded.
public final class RpcRefusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// The `accept_stat` for an unknown procedure.
  public static final int PROCEDURE_UNAVAILABLE = 3;

  /// The `accept_stat` for arguments that cannot be decoded.
  public static final int GARBAGE_ARGUMENTS = 4;

  /// The `accept_stat` for an internal error of the server, including a lack of memory.
  public static final int SYSTEM_ERROR = 5;

  /// The offset that identifies a reason as an `auth_stat`.
  private static final int AUTHENTICATION = 0x100;

  /// The `auth_stat` for credentials that cannot be decoded.
  static final int AUTH_BADCRED = AUTHENTICATION + 1;

  /// The `auth_stat` for a verifier that cannot be decoded or is not allowed.
  static final int AUTH_BADVERF = AUTHENTICATION + 3;

  /// The `auth_stat` for a flavor or a client that is not accepted.
  static final int AUTH_TOOWEAK = AUTHENTICATION + 5;

  private final int reason;

  /// Creates a refusal.
  ///
  /// @param reason one of the constants of this class
  public RpcRefusal(int reason) {
    super("the call is refused: " + reason, null, false, false);
    this.reason = reason;
  }

  /// Returns true if the reason is an `auth_stat`, which is sent as MSG_DENIED.
  boolean ofCredentials() {
    return reason >= AUTHENTICATION;
  }

  /// Returns the `accept_stat` or the `auth_stat` of this refusal.
  public int status() {
    return reason & AUTHENTICATION - 1;
  }
}
