package sluice.domain.schedule;

/// A scheduler that limits the time its threads run, to less than the domain's turn on the
/// processor.
public interface SliceListener extends Scheduler {
  /// Returns the time slice of a thread in nanoseconds. A thread is stopped at its first gate after
  /// that, a few milliseconds late at most. Called once, at the start.
  long sliceNanos();

  /// Called like [#activated] when a thread was stopped at the end of its slice. [Cpu#woken]
  /// returns the thread.
  void interrupted(Cpu cpu);
}
