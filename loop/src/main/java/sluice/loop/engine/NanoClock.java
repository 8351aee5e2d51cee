package sluice.loop.engine;

/// A monotonic clock in nanoseconds, as used by loops. Simulations provide their own clock.
@FunctionalInterface
public interface NanoClock {
  /// The clock of the machine.
  NanoClock SYSTEM = System::nanoTime;

  long nanos();
}
