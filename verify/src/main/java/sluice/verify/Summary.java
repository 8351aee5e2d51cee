package sluice.verify;

import org.jspecify.annotations.Nullable;
import sluice.verify.value.Value;

/// The result of an analysis that callers of the method need.
///
/// @param each the bound of one call, without class initializers
/// @param once the bound of all class initializers that the method may run; they run once
/// @param returned the returned value; null if there is none
record Summary(Bound each, Bound once, @Nullable Value returned) {
  Bound total() {
    return each.plus(once);
  }
}
