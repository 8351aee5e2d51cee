package sluice.verify;

/// Thrown to terminate the analysis of a method with a refusal.
final class Refused extends Exception {
  private static final long serialVersionUID = 1L;

  private final Reason reason;
  private final int at;
  private final String why;

  /// Creates a refusal.
  ///
  /// @param at the index of the instruction, or -1 for the whole method
  Refused(Reason reason, int at, String why) {
    super(why, null, false, false);
    this.reason = reason;
    this.at = at;
    this.why = why;
  }

  Reason reason() {
    return reason;
  }

  int at() {
    return at;
  }

  String why() {
    return why;
  }
}
