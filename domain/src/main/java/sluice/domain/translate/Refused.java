package sluice.domain.translate;

/// Thrown if a domain refuses to load a class. The message states the class, method and line, the
/// reason and the fix.
///
/// If only a call is refused, a [SecurityException] with the same kind of message is thrown at the
/// call instead.
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
