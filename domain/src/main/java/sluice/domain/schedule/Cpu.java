package sluice.domain.schedule;

import org.jspecify.annotations.Nullable;

/// A processor that a domain has, as its scheduler sees it. The thread of the scheduler calls.
public interface Cpu {
  /// Takes a thread that has become ready since the last call: it was started, woken, or it
  /// yielded. A thread is taken once for each time.
  ///
  /// @return null if there is none
  @Nullable ScheduledThread woken();

  /// Has a thread run: next, or after those that were chosen before and have not run. It runs until
  /// it waits, yields or ends, or is stopped; it cannot be chosen again before it is ready again.
  ///
  /// @throws IllegalArgumentException if it is not ready, or is another domain's
  /// @throws IllegalStateException if the calling thread is not the scheduler's
  void switchTo(ScheduledThread thread);

  /// Returns what the scheduler sees of a virtual thread of its domain, or null if it is none.
  @Nullable ScheduledThread of(Thread thread);
}
