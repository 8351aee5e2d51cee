package sluice.loop.engine;

/// Time as the loop sees it: a monotonic count of nanoseconds. Simulations bring their own.
@FunctionalInterface
public interface NanoClock {
  /// The machine's clock.
  NanoClock SYSTEM = System::nanoTime;

  long nanos();
}
