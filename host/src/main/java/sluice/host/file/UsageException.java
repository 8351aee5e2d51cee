package sluice.host.file;

/// The command line is wrong; the message says how. Ends the command with exit code 2.
public final class UsageException extends Exception {
  private static final long serialVersionUID = 1L;

  /// Takes the message: what is wrong, why and the fix, for the user; of several lines for several
  /// errors
  public UsageException(String message) {
    super(message);
  }
}
