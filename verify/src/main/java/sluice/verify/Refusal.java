package sluice.verify;

/// Why one method is refused.
///
/// @param reason what kind of refusal
/// @param line of the source, 0 if the class file does not say
/// @param why what the verifier found there
public record Refusal(Reason reason, int line, String why) {
  /// What to do.
  public String fix() {
    return reason.fix();
  }
}
