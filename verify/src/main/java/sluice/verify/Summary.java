package sluice.verify;

import org.jspecify.annotations.Nullable;
import sluice.verify.value.Value;

/// The result of the analysis of a method that is required to analyze its callers.
///
/// @param each the bound of one call, without class initializers
/// @param once the bound of all class initializers that the method may execute, each of which is
///   executed only once
/// @param returned the returned value, or null if there is none
record Summary(Bound each, Bound once, @Nullable Value returned) {
  Bound total() {
    return each.plus(once);
  }
}
