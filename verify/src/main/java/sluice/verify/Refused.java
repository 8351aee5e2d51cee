package sluice.verify;

/// Ends the analysis of a method. Of the verifier's thread.
final class Refused extends Exception {
  private static final long serialVersionUID = 1L;

  private final Reason reason;
  private final int at;
  private final String why;

  /// @param at index of the instruction, or -1 for the method as a whole
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
