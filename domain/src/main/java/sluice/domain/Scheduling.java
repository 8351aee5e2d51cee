package sluice.domain;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.domain.carrier.QueueTerms;

/// The way in which the virtual threads of a domain share processors. Immutable.
///
/// @param kind preemptive or cooperative
/// @param cpus the kernel's numbers of the processors that the virtual threads may use, or an empty
///   set for all processors. Platform threads are not restricted to them
/// @param scheduler the name of a class of the domain that selects the next thread to run, or null
///   for first come, first served
public record Scheduling(Kind kind, Set<Integer> cpus, @Nullable String scheduler) {
  /// Preemptive scheduling on all processors.
  public static final Scheduling DEFAULT = new Scheduling(Kind.PREEMPTIVE, Set.of(), null);

  /// Cooperative scheduling, one thread at a time, on all processors.
  public static final Scheduling COOPERATIVE = new Scheduling(Kind.COOPERATIVE, Set.of(), null);

  /// The rule that determines if threads of one domain may run at the same time.
  public enum Kind {
    /// Threads run at the same time and may be suspended anywhere, so they need locks.
    PREEMPTIVE,

    /// Only one thread runs at a time, until it waits, yields or terminates. No other thread of the
    /// domain runs in between, so threads need no locks. Other domains may run in the meantime. The
    /// domain has no platform threads, and its services run on its own threads.
    COOPERATIVE;

    /// Returns the name used in configuration files.
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// Copies the set and checks its numbers.
  ///
  /// @throws IllegalArgumentException if a number is negative
  public Scheduling {
    cpus = Set.copyOf(cpus);
    for (int cpu : cpus) {
      if (cpu < 0) {
        throw new IllegalArgumentException("a processor has a number from 0, and not " + cpu);
      }
    }
  }

  /// Returns a copy with a scheduler of the domain, given as the name of a class that implements
  /// [sluice.domain.schedule.Scheduler].
  public Scheduling by(String type) {
    return new Scheduling(kind, cpus, type);
  }

  /// Returns a copy restricted to the given processors.
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
