package sluice.testkit.sim;

import org.jspecify.annotations.Nullable;

/// Creates the errors of a simulation, with its seed, its faults and its last events. Owned by the
/// thread that runs the simulation.
final class SimViolations {
  private final long seed;
  private final SimFaults faults;
  private final SimTrace trace;
  private @Nullable SimViolation first;

  SimViolations(long seed, SimFaults faults, SimTrace trace) {
    this.seed = seed;
    this.faults = faults;
    this.trace = trace;
  }

  /// Returns an error about this simulation.
  SimViolation violation(String message) {
    SimViolation violation =
        new SimViolation(
            message,
            "%n  seed=%d   run it alone: -Dsluice.seed=%d%n  faults: %s%n  last events:%s"
                .formatted(seed, seed, faults, trace.format()));
    if (first == null) {
      first = violation;
    }
    return violation;
  }

  /// Rethrows the first violation, in case it was caught.
  void rethrow() {
    if (first != null) {
      throw first;
    }
  }
}
