package sluice.loop.engine;

/// The clock of a loop, which also returns the time at which its turn began. Used on the loop's
/// thread.
public interface TurnClock extends NanoClock {
  /// Returns the time at which this turn's wait ended and its work began.
  long now();
}
