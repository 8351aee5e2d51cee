package sluice.domain.schedule;

/// Chooses which virtual threads of one domain run when the domain has a processor. A class of the
/// domain implements it and has a public constructor without parameters; `scheduler` in the table
/// of the domain names it.
///
/// One thread at a time calls its methods: a virtual thread of the domain that belongs to the
/// scheduler, and for [PreemptionListener#preempted] the thread of a processor. A scheduler that
/// throws ends its domain. A scheduler that does not return, or forgets a thread, delays only its
/// own domain.
public interface Scheduler {
  /// Called when threads of the domain have become ready, or when the thread that was chosen last
  /// has waited, yielded or ended while others were ready. The host does not wait for the call. The
  /// threads that it chooses run when it returns.
  void activated(Cpu cpu);
}
