package sluice.loop.engine;

/// The clock of a loop, and when its turn began. On the loop's thread.
public interface TurnClock extends NanoClock {
  /// The time at the start of this turn's work, when its wait was over.
  long now();
}
