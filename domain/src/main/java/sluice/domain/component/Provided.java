package sluice.domain.component;

import sluice.domain.portal.CallPath;

/// The service that a component provides. Immutable.
///
/// @param type the name of its interface
/// @param path selects the thread that runs calls from other domains; [CallPath#FAST] is rejected
///   unless a verifier finds a bound for each method
/// @param calls the maximum number of concurrent calls on the path [CallPath#SERVICE], 1 to 1024;
///   if it is 1, the methods do not have to be synchronized with each other
public record Provided(String type, CallPath path, int calls) {
  /// The upper limit of `calls`.
  public static final int MOST_CALLS = 1024;

  /// Checks the number of calls.
  ///
  /// @throws IllegalArgumentException if it is out of range, or greater than 1 on another path
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

  /// Returns a service that uses the default of one thread.
  public static Provided of(String type) {
    return new Provided(type, CallPath.SERVICE, 1);
  }
}
