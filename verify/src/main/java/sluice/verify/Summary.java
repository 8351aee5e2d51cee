package sluice.verify;

import org.jspecify.annotations.Nullable;
import sluice.verify.value.Value;

/// What callers need to know of a method.
///
/// @param each the most one call does, without initializers of classes
/// @param once the most that initializers do which it may run, for all calls together
/// @param returned range of the result, null if there is none
record Summary(Bound each, Bound once, @Nullable Value returned) {
  Bound total() {
    return each.plus(once);
  }
}
