package sluice.vi;

/// The mode in which a thread waits for completions.
public enum WaitMode {
  /// Polls continuously. This has the lowest latency but occupies one processor per waiting thread.
  SPIN,
  /// Spins for a limited time ([ViAttributes#spinMicros]), then parks.
  HYBRID,
  /// Parks immediately until the device unparks the thread. A virtual thread releases its carrier.
  PARK
}
