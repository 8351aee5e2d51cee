package sluice.host.file;

/// Thrown if a value in a file or on a command line is not valid. The message contains the
/// position, the reason and a fix.
public final class WrongValue extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final int line;

  /// Creates an exception.
  ///
  /// @param line the line in the file, or 0 if there is none
  WrongValue(int line, String message) {
    super(message);
    this.line = line;
  }

  int line() {
    return line;
  }
}
