package sluice.domain.translate;

/// Thrown for a class that a domain does not load. The message has class, method, line, why and
/// fix.
///
/// For a refused call, a [SecurityException] with such a message is thrown at the call instead.
public final class Refused extends LinkageError {
  private static final long serialVersionUID = 1;

  Refused(String where, String why, String fix) {
    super(text(where, why, fix));
  }

  /// Returns the message of a refusal.
  static String text(String where, String why, String fix) {
    return where + ". Why: " + why + ". Fix: " + fix;
  }
}
