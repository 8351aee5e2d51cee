package sluice.nfs.export;

/// A call is answered with a status other than success. Any thread may use it; it has no stack
/// trace, because it is an answer and no fault.
public final class NfsException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;

  /// @param status of [NfsStatus]
  public NfsException(int status) {
    super("status " + status, null, false, false);
    this.status = status;
  }

  public int status() {
    return status;
  }
}
