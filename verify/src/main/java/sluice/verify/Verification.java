package sluice.verify;

import java.util.List;

/// The result of a run of the verifier.
///
/// @param verdicts the verdicts, one for each method
/// @param steps the number of steps that were used, which is at most linear in the size of the
///   class files
public record Verification(List<MethodVerdict> verdicts, long steps) {
  /// Returns true if every method has a bound.
  public boolean isAccepted() {
    return verdicts.stream().allMatch(MethodVerdict::isAccepted);
  }

  /// The verdict on a method that is called by a host. It is valid only if the initializers of the
  /// used classes have already been executed.
  ///
  /// @param verdict the bound without class initializers, or the refusal
  /// @param uses the names of the component's classes that must be initialized before the first
  ///   call
  public record Entry(MethodVerdict verdict, List<String> uses) {
    /// Copies the list.
    public Entry {
      uses = List.copyOf(uses);
    }
  }
}
