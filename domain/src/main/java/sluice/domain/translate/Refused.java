package sluice.domain.translate;

/// A class that a domain does not load. The message has class, method, line, why and fix.
///
/// A call that a domain refuses throws [SecurityException] with such a message where it is made.
public final class Refused extends LinkageError {
  private static final long serialVersionUID = 1;

  Refused(String where, String why, String fix) {
    super(text(where, why, fix));
  }

  /// The message of each refusal.
  static String text(String where, String why, String fix) {
    return where + ". Why: " + why + ". Fix: " + fix;
  }
}
