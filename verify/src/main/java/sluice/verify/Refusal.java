package sluice.verify;

/// The refusal of one method.
///
/// @param reason the kind of refusal
/// @param line the source line; 0 if unknown
/// @param why the details
public record Refusal(Reason reason, int line, String why) {
  /// Returns the usual fix.
  public String fix() {
    return reason.fix();
  }
}
