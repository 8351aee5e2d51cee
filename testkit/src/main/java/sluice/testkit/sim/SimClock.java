package sluice.testkit.sim;

import sluice.loop.engine.NanoClock;

/// A simulated clock that only the simulation advances. Owned by the thread that runs the
/// simulation.
public final class SimClock implements NanoClock {
  private long nanos = 1_000_000_000L;

  @Override
  public long nanos() {
    return nanos;
  }

  void moveTo(long target) {
    if (target < nanos) {
      throw new IllegalArgumentException("time goes back from " + nanos + " to " + target);
    }
    nanos = target;
  }
}
