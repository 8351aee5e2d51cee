package sluice.cli;

/// The command line is wrong; the message says how. Ends the command with exit code 2.
final class UsageException extends Exception {
  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
