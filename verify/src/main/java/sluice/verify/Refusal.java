package sluice.verify;

/// The refusal of one method.
///
/// @param reason the kind of refusal
/// @param line the source line, or 0 if it is unknown
/// @param why the details of the refusal
public record Refusal(Reason reason, int line, String why) {
  /// Returns the usual fix for this kind of refusal.
  public String fix() {
    return reason.fix();
  }
}
