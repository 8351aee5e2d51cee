package sluice.domain.schedule;

/// A scheduler that is notified when a thread of its domain is stopped in favour of other domains.
public interface PreemptionListener extends Scheduler {
  /// Called when a thread was stopped at a gate. The processor's thread calls it before another
  /// domain gets the processor, so a verifier must find a bound for it, or the domain does not
  /// start. The thread is ready, but [Cpu#woken] does not return it. For a scheduler that does not
  /// implement this interface, [Cpu#woken] returns it.
  void preempted(ScheduledThread thread);
}
