package sluice.vi;

/// How a thread waits for completions.
public enum WaitMode {
  /// Looks again and again: the shortest latency, and one processor for each thread that waits.
  SPIN,
  /// Spins for a while ([ViAttributes#spinMicros]), then parks.
  HYBRID,
  /// Parks at once, and is woken by the device. A virtual thread frees its carrier.
  PARK
}
