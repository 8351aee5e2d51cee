package sluice.nfs.export;

/// Thrown to reply to a call with a status other than success. It has no stack trace, because it
/// represents a reply and not an error of the server.
public final class NfsException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;

  /// Creates an exception.
  ///
  /// @param status a code of [NfsStatus], or of NFSv4.1
  public NfsException(int status) {
    super("status " + status, null, false, false);
    this.status = status;
  }

  public int status() {
    return status;
  }
}
