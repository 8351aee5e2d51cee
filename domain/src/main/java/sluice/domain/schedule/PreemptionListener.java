package sluice.domain.schedule;

/// A scheduler that is told when a thread of its domain is stopped for the sake of other domains.
public interface PreemptionListener extends Scheduler {
  /// Called when a thread was stopped at a gate, on the thread of the processor, before another
  /// domain gets that: a verifier must find a bound for it, or the domain does not start. The
  /// thread is ready; [Cpu#woken] does not give it. A scheduler that does not ask for this event
  /// finds the thread among those that have become ready.
  void preempted(ScheduledThread thread);
}
