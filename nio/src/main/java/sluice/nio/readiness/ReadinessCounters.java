package sluice.nio.readiness;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// The counters of this JVM's readiness selectors. They are incremented by the selecting thread or
/// by the holder of the lock of a selector's table. Atomic fields may be incremented by any thread.
/// Any thread may read the counters, but it may observe outdated values.
final class ReadinessCounters {
  private static final List<ReadinessCounters> ALL = new ArrayList<>();

  /// The number of calls of `select` methods.
  long selects;

  /// The number of `epoll_wait` calls.
  long waits;

  /// The number of waits that were delayed in order to collect more events.
  long holds;

  /// The number of `epoll_ctl` calls.
  long controls;

  /// The number of `ppoll` calls for the [RecheckList], and the number of descriptors that they
  /// checked.
  long looks;

  long looked;

  /// The number of interest changes and registrations that were requested.
  final AtomicLong changes = new AtomicLong();

  /// The number of reports of descriptors whose keys no longer have an interest.
  long unwanted;

  /// The number of times the kernel's set was replaced because of events for files that had already
  /// been closed.
  long rebuilds;

  /// The number of calls of `wakeup`, and the number of those that had to write to a descriptor.
  final AtomicLong wakeups = new AtomicLong();

  final AtomicLong wakeupsWritten = new AtomicLong();

  /// Prints the sums of all counters when the JVM exits.
  static void printAtExit() {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> System.err.println("sluice.nio: " + sum()), "sluice-nio-stats"));
  }

  /// Returns new counters that are included by [#printAtExit] even after their selector has been
  /// collected.
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
