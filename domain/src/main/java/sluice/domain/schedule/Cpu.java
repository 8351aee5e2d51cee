package sluice.domain.schedule;

import org.jspecify.annotations.Nullable;

/// A scheduler's view of a processor that is assigned to its domain. Only the scheduler's thread
/// may call.
public interface Cpu {
  /// Removes and returns a thread that has become ready since the last call, because it was started
  /// or woken or has yielded. A thread is returned once each time it becomes ready.
  ///
  /// @return the thread, or null if there is none
  @Nullable ScheduledThread woken();

  /// Selects the thread to run next, after any threads that were selected before and have not run
  /// yet. The thread runs until it waits, yields, terminates or is stopped. It cannot be selected
  /// again until it is ready again.
  ///
  /// @throws IllegalArgumentException if the thread is not ready, or belongs to another domain
  /// @throws IllegalStateException if the calling thread is not the scheduler's thread
  void switchTo(ScheduledThread thread);

  /// Returns the scheduler's view of a virtual thread, or null if the thread is not a virtual
  /// thread of the scheduler's domain.
  @Nullable ScheduledThread of(Thread thread);
}
