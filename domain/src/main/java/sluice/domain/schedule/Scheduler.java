package sluice.domain.schedule;

/// Chooses which virtual threads of one domain run, when the domain has a processor. A class of the
/// domain implements it and has a public constructor without parameters; `scheduler` in the table
/// of the domain names it.
///
/// Its methods are called by one thread at a time: by a virtual thread of the domain that is the
/// scheduler's, and [PreemptionListener#preempted] by the thread of a processor. A scheduler that
/// throws ends its domain. A scheduler that does not return, or forgets a thread, holds up the
/// domain, and no other.
public interface Scheduler {
  /// Called when threads of the domain have become ready, or the thread that was chosen last has
  /// waited, yielded or ended while others were ready. The host does not wait for it. The threads
  /// that it chooses run when it returns.
  void activated(Cpu cpu);
}
