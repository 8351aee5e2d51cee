package sluice.host.file;

/// A value of a file or of a command line is wrong; the message says where it stands, why and the
/// fix.
public final class WrongValue extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final int line;

  /// @param line of the file; 0 for none
  WrongValue(int line, String message) {
    super(message);
    this.line = line;
  }

  int line() {
    return line;
  }
}
