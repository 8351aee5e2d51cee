package sluice.domain.carrier;

import java.util.Set;

/// How the threads of one queue share the processors. Immutable.
///
/// @param weight while more threads are ready than there are processors, a queue of weight 3 gets
///   three times as much of them as one of weight 1; at least 1
/// @param countsBytes whether what its threads allocate is counted at each change, or estimated
/// @param isCooperative whether one thread runs at a time, until it waits, yields or ends: a thread
///   that makes room for another queue goes on before others of its own
/// @param cpus numbers of the processors that its threads may use, as the kernel counts them; empty
///   for all
public record QueueTerms(
    int weight, boolean countsBytes, boolean isCooperative, Set<Integer> cpus) {
  /// Weight 1, bytes estimated, preemptive, on all processors.
  public static final QueueTerms DEFAULT = new QueueTerms(1, false, false, Set.of());

  /// Copies the set.
  public QueueTerms {
    cpus = Set.copyOf(cpus);
  }

  /// Returns the same with another weight.
  public QueueTerms withWeight(int other) {
    return new QueueTerms(other, countsBytes, isCooperative, cpus);
  }

  /// Returns the same with bytes counted, or estimated.
  public QueueTerms withBytes(boolean counted) {
    return new QueueTerms(weight, counted, isCooperative, cpus);
  }

  /// Returns the same for threads of which one runs at a time.
  public QueueTerms cooperative() {
    return new QueueTerms(weight, countsBytes, true, cpus);
  }

  /// Returns the same on other processors.
  public QueueTerms on(Set<Integer> others) {
    return new QueueTerms(weight, countsBytes, isCooperative, others);
  }
}
