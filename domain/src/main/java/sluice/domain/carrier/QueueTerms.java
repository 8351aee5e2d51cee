package sluice.domain.carrier;

import java.util.Set;

/// The terms on which the threads of one queue share the processors. Immutable.
///
/// @param weight at least 1; while more threads are ready than there are processors, a queue of
///   weight 3 gets three times as much processor time as one of weight 1
/// @param countsBytes true if allocated bytes are counted at each change of the queue, false if
///   they are estimated
/// @param isCooperative true if one thread runs at a time, until it waits, yields or ends: a thread
///   that makes room for another queue continues before others of its own
/// @param cpus the kernel's numbers of the processors that the threads may use; empty for all
public record QueueTerms(
    int weight, boolean countsBytes, boolean isCooperative, Set<Integer> cpus) {
  /// The default: weight 1, bytes estimated, preemptive, on all processors.
  public static final QueueTerms DEFAULT = new QueueTerms(1, false, false, Set.of());

  /// Copies the set.
  public QueueTerms {
    cpus = Set.copyOf(cpus);
  }

  /// Returns a copy with another weight.
  public QueueTerms withWeight(int other) {
    return new QueueTerms(other, countsBytes, isCooperative, cpus);
  }

  /// Returns a copy that counts bytes, or that estimates them.
  public QueueTerms withBytes(boolean counted) {
    return new QueueTerms(weight, counted, isCooperative, cpus);
  }

  /// Returns a copy for threads of which only one runs at a time.
  public QueueTerms cooperative() {
    return new QueueTerms(weight, countsBytes, true, cpus);
  }

  /// Returns a copy for other processors.
  public QueueTerms on(Set<Integer> others) {
    return new QueueTerms(weight, countsBytes, isCooperative, others);
  }
}
