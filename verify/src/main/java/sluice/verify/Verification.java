package sluice.verify;

import java.util.List;

/// What a run of the verifier found.
///
/// @param verdicts one per method
/// @param steps taken: grows at most with the size of the class files
public record Verification(List<MethodVerdict> verdicts, long steps) {
  /// Whether every method has a bound.
  public boolean isAccepted() {
    return verdicts.stream().allMatch(MethodVerdict::isAccepted);
  }
}
