package sluice.domain.schedule;

/// Selects which virtual threads of a domain run when the domain is assigned to a processor. The
/// scheduler is a class of the domain that has a public constructor without parameters. It is
/// specified by `scheduler` in the table of the domain.
///
/// Its methods are called by one thread at a time. This is a virtual thread of the domain that
/// belongs to the scheduler, or the thread of a processor for [PreemptionListener#preempted]. If
/// the scheduler throws an exception, its domain is terminated. A scheduler that does not return,
/// or forgets a thread, only delays its own domain.
public interface Scheduler {
  /// Called when threads of the domain have become ready, or when the thread selected last has
  /// waited, yielded or terminated while others were ready. The host does not wait for the call.
  /// The selected threads run when this method returns.
  void activated(Cpu cpu);
}
