package sluice.domain.component;

import sluice.domain.portal.CallPath;

/// The service that a component is. Immutable.
///
/// @param type name of its interface
/// @param path which thread runs it when it is called from another domain; [CallPath#FAST] is
///   refused unless a verifier finds a bound for each method
/// @param calls on the path [CallPath#SERVICE] so many run at once, 1 to 1024; with 1 its methods
///   need no locks against each other
public record Provided(String type, CallPath path, int calls) {
  /// So many calls run at once, at most.
  public static final int MOST_CALLS = 1024;

  /// Checks the number.
  public Provided {
    if (calls < 1 || calls > MOST_CALLS) {
      throw new IllegalArgumentException(
          "a service runs 1 to " + MOST_CALLS + " calls at a time, and not " + calls);
    }
    if (calls > 1 && path != CallPath.SERVICE) {
      throw new IllegalArgumentException(
          "the number of calls at a time is that of the callers where they run the service"
              + " themselves. Fix: leave calls out, or path = \"service\"");
    }
  }

  /// A service with one thread, as it is by default.
  public static Provided of(String type) {
    return new Provided(type, CallPath.SERVICE, 1);
  }
}
