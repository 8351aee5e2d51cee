package sluice.domain.schedule;

/// A scheduler that is notified when a thread of its domain is stopped in favor of other domains.
public interface PreemptionListener extends Scheduler {
  /// Called when a thread has been stopped at a gate. This method is called by the processor's
  /// thread before another domain is assigned to the processor, so a verifier must find a bound for
  /// it, or the domain does not start. The thread is ready, but is not returned by [Cpu#woken]. If
  /// a scheduler does not implement this interface, [Cpu#woken] returns the thread.
  void preempted(ScheduledThread thread);
}
