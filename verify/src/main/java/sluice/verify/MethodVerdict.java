package sluice.verify;

import org.jspecify.annotations.Nullable;

/// The verdict on one method: a bound, or a refusal.
///
/// @param className binary name of the class, with dots
/// @param method name and descriptor
/// @param line the first of the method, 0 if the class file does not say
/// @param size instructions of the method itself
/// @param bound the most one call does, null if refused
/// @param refusal why there is no bound, null if accepted
public record MethodVerdict(
    String className,
    String method,
    int line,
    int size,
    @Nullable Bound bound,
    @Nullable Refusal refusal) {
  /// Whether the method has a bound.
  public boolean isAccepted() {
    return bound != null;
  }
}
