package sluice.domain.carrier;

import java.util.Set;

/// The terms under which the threads of one queue share the processors. Immutable.
///
/// @param weight the weight, at least 1; if more threads are ready than there are processors, a
///   queue of weight 3 receives three times as much processor time as a queue of weight 1
/// @param countsBytes true if allocated bytes are counted at each change of the queue, or false if
///   they are estimated
/// @param isCooperative true if only one thread runs at a time, until it waits, yields or
///   terminates; a thread that yields to another queue continues before other threads of its own
///   queue
/// @param cpus the kernel's numbers of the processors that the threads may use, or an empty set for
///   all
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

  /// Returns a copy that counts or estimates allocated bytes.
  public QueueTerms withBytes(boolean counted) {
    return new QueueTerms(weight, counted, isCooperative, cpus);
  }

  /// Returns a copy for threads of which only one may run at a time.
  public QueueTerms cooperative() {
    return new QueueTerms(weight, countsBytes, true, cpus);
  }

  /// Returns a copy with other processors.
  public QueueTerms on(Set<Integer> others) {
    return new QueueTerms(weight, countsBytes, isCooperative, others);
  }
}
