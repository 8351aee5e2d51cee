package sluice.nio.readiness;

/// The settings of the readiness engine's selectors. Immutable.
///
/// @param threshold the number of interest changes that are deferred until the next select, at
///   least 1
/// @param coalescing true if waits may be delayed, see [WaitCoalescing]
/// @param stats true to print the counters when the JVM exits
public record ReadinessSettings(int threshold, boolean coalescing, boolean stats) {
  public static final ReadinessSettings DEFAULT = new ReadinessSettings(1024, true, false);

  ReadinessSettings withThreshold(int changes) {
    return new ReadinessSettings(changes, coalescing, stats);
  }
}
