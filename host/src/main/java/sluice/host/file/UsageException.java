package sluice.host.file;

/// Thrown if the command line is not valid. The message contains the details, and the command exits
/// with code 2.
public final class UsageException extends Exception {
  private static final long serialVersionUID = 1L;

  /// Creates an exception.
  ///
  /// @param message the message for the user, with the error, the reason and a fix; it has several
  ///   lines if there are several errors
  public UsageException(String message) {
    super(message);
  }
}
