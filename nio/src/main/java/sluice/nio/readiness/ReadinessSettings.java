package sluice.nio.readiness;

/// How selectors of the readiness engine behave. Immutable.
///
/// @param threshold interest changes that wait for the next select, at least 1
/// @param coalescing whether waits may be held, see [WaitCoalescing]
/// @param stats whether to print what was counted at the JVM's exit
public record ReadinessSettings(int threshold, boolean coalescing, boolean stats) {
  public static final ReadinessSettings DEFAULT = new ReadinessSettings(1024, true, false);

  ReadinessSettings withThreshold(int changes) {
    return new ReadinessSettings(changes, coalescing, stats);
  }
}
