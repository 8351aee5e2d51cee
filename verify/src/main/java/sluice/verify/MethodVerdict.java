package sluice.verify;

import org.jspecify.annotations.Nullable;

/// The verdict on one method, which is either a bound or a refusal.
///
/// @param className the binary name of the class, with dots
/// @param method the name and the descriptor
/// @param line the first source line, or 0 if it is unknown
/// @param size the number of instructions
/// @param bound the bound of one call, or null if the method is refused
/// @param refusal the reason for the refusal, or null if the method is accepted
public record MethodVerdict(
    String className,
    String method,
    int line,
    int size,
    @Nullable Bound bound,
    @Nullable Refusal refusal) {
  /// Returns true if the method has a bound.
  public boolean isAccepted() {
    return bound != null;
  }
}
