package sluice.vi;

/// The way in which a thread waits for completions.
public enum WaitMode {
  /// Polls continuously: the shortest latency, at the cost of one processor per waiting thread.
  SPIN,
  /// Spins for a while ([ViAttributes#spinMicros]), then parks.
  HYBRID,
  /// Parks at once, and is unparked by the device. A virtual thread frees its carrier.
  PARK
}
