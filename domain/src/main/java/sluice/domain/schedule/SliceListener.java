package sluice.domain.schedule;

/// A scheduler that lets its threads run for a limited time, shorter than what the domain has of
/// the processor.
public interface SliceListener extends Scheduler {
  /// Returns how long a thread may run before it is stopped, in nanoseconds; it is stopped at its
  /// next gate, some milliseconds late at most. Asked once, at the start.
  long sliceNanos();

  /// Called as [#activated], when a thread was stopped because its time was over: it is among those
  /// that have become ready.
  void interrupted(Cpu cpu);
}
