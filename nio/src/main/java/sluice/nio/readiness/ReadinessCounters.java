package sluice.nio.readiness;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// The counters of this JVM's readiness selectors. The holder of a selector's table lock counts, or
/// the thread that selects, except for atomic fields. Any thread may read, and may see numbers that
/// lag.
final class ReadinessCounters {
  private static final List<ReadinessCounters> ALL = new ArrayList<>();

  /// The calls of a `select` method.
  long selects;

  /// The `epoll_wait` calls.
  long waits;

  /// The waits that were delayed for more events.
  long holds;

  /// The `epoll_ctl` calls.
  long controls;

  /// The `ppoll` calls for the [RecheckList], and the number of descriptors they checked.
  long looks;

  long looked;

  /// The interest changes and registrations requested.
  final AtomicLong changes = new AtomicLong();

  /// The reports of descriptors in which no key has an interest any more.
  long unwanted;

  /// The number of times the kernel's set was rebuilt because of events of files long closed.
  long rebuilds;

  /// The calls of `wakeup`, and those that had to write.
  final AtomicLong wakeups = new AtomicLong();

  final AtomicLong wakeupsWritten = new AtomicLong();

  /// Prints the sums at the JVM's exit.
  static void printAtExit() {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> System.err.println("sluice.nio: " + sum()), "sluice-nio-stats"));
  }

  /// Returns new counters that [#printAtExit] includes, even after their selector is gone.
  static ReadinessCounters listed() {
    ReadinessCounters counts = new ReadinessCounters();
    synchronized (ALL) {
      ALL.add(counts);
    }
    return counts;
  }

  private static ReadinessCounters sum() {
    ReadinessCounters sum = new ReadinessCounters();
    synchronized (ALL) {
      ALL.forEach(sum::add);
    }
    return sum;
  }

  private void add(ReadinessCounters other) {
    selects += other.selects;
    waits += other.waits;
    holds += other.holds;
    controls += other.controls;
    looks += other.looks;
    looked += other.looked;
    changes.addAndGet(other.changes.get());
    unwanted += other.unwanted;
    rebuilds += other.rebuilds;
    wakeups.addAndGet(other.wakeups.get());
    wakeupsWritten.addAndGet(other.wakeupsWritten.get());
  }

  @Override
  public String toString() {
    return "selects "
        + selects
        + ", waits "
        + waits
        + " and "
        + holds
        + " held, interest changes "
        + changes
        + ", epoll_ctl "
        + controls
        + ", looks "
        + looks
        + " at "
        + looked
        + " descriptors, unwanted reports "
        + unwanted
        + ", rebuilds "
        + rebuilds
        + ", wakeups "
        + wakeups
        + ", written "
        + wakeupsWritten;
  }
}
