package sluice.domain.schedule;

/// A scheduler that limits the time for which its threads run to less than the domain's turn on the
/// processor.
public interface SliceListener extends Scheduler {
  /// Returns the time slice of a thread in nanoseconds. A thread is stopped at its first gate after
  /// its slice has expired, at most a few milliseconds late. Called once, at the start.
  long sliceNanos();

  /// Called like [#activated] when a thread has been stopped at the end of its slice. The thread is
  /// returned by [Cpu#woken].
  void interrupted(Cpu cpu);
}
