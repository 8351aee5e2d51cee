package sluice.domain;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.domain.carrier.QueueTerms;

/// How the virtual threads of a domain get processors. Immutable.
///
/// @param kind whether they may run at the same time
/// @param cpus numbers of the processors that they may use, as the kernel counts them; empty for
///   all. Platform threads are not kept to them
/// @param scheduler name of the domain's class that chooses which of them runs, or null for first
///   come, first served
public record Scheduling(Kind kind, Set<Integer> cpus, @Nullable String scheduler) {
  /// Preemptive, on all processors.
  public static final Scheduling DEFAULT = new Scheduling(Kind.PREEMPTIVE, Set.of(), null);

  /// One thread at a time, on all processors.
  public static final Scheduling COOPERATIVE = new Scheduling(Kind.COOPERATIVE, Set.of(), null);

  /// Whether threads of one domain may run at the same time.
  public enum Kind {
    /// They may, and may be stopped anywhere: they need locks.
    PREEMPTIVE,

    /// One runs at a time, until it waits, yields or ends: between these no other one of the domain
    /// runs, so they need no locks. Other domains may run meanwhile. The domain has no platform
    /// threads, and its services run on threads of its own.
    COOPERATIVE;

    /// Returns it as files name it.
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// Copies the set and checks its numbers.
  public Scheduling {
    cpus = Set.copyOf(cpus);
    for (int cpu : cpus) {
      if (cpu < 0) {
        throw new IllegalArgumentException("a processor has a number from 0, and not " + cpu);
      }
    }
  }

  /// Returns the same with a scheduler of the domain's: a class that implements
  /// [sluice.domain.schedule.Scheduler].
  public Scheduling by(String type) {
    return new Scheduling(kind, cpus, type);
  }

  /// Returns the same on these processors.
  public Scheduling on(Integer... numbers) {
    return new Scheduling(kind, Set.of(numbers), scheduler);
  }

  boolean isCooperative() {
    return kind == Kind.COOPERATIVE;
  }

  QueueTerms terms(Budget budget) {
    QueueTerms terms =
        QueueTerms.DEFAULT
            .withWeight(budget.weight())
            .withBytes(budget.allocationBytesPerSecond() != Long.MAX_VALUE)
            .on(cpus);
    return isCooperative() ? terms.cooperative() : terms;
  }
}
