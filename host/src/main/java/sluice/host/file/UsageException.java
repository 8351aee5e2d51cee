package sluice.host.file;

/// Thrown if the command line is not valid; the message has the details. The command ends with exit
/// code 2.
public final class UsageException extends Exception {
  private static final long serialVersionUID = 1L;

  /// Creates an exception.
  ///
  /// @param message the message for the user with error, reason and fix; several lines for several
  ///   errors
  public UsageException(String message) {
    super(message);
  }
}
