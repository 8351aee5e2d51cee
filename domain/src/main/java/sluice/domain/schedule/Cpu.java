package sluice.domain.schedule;

import org.jspecify.annotations.Nullable;

/// A scheduler's view of a processor that its domain has. Only the scheduler's thread calls.
public interface Cpu {
  /// Removes and returns a thread that has become ready since the last call: it was started or
  /// woken, or it yielded. A thread is returned once each time it becomes ready.
  ///
  /// @return null if there is none
  @Nullable ScheduledThread woken();

  /// Chooses the thread to run next, or after those that were chosen before and have not run yet.
  /// It runs until it waits, yields, ends or is stopped, and cannot be chosen again until it is
  /// ready again.
  ///
  /// @throws IllegalArgumentException if it is not ready, or belongs to another domain
  /// @throws IllegalStateException if the calling thread is not the scheduler's
  void switchTo(ScheduledThread thread);

  /// Returns the scheduler's view of a virtual thread of its domain, or null if the thread is not
  /// one.
  @Nullable ScheduledThread of(Thread thread);
}
