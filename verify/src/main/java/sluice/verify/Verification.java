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

  /// The verdict on a method that a host calls, on one condition: the initializers of the classes
  /// it uses have run before.
  ///
  /// @param verdict with the bound, without initializers, or the refusal
  /// @param uses classes of the component that are to be initialized before the first call, by name
  public record Entry(MethodVerdict verdict, List<String> uses) {
    /// Copies the list.
    public Entry {
      uses = List.copyOf(uses);
    }
  }
}
