package sluice.nio.readiness;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// What the selectors of this JVM did. The holder of a selector's table lock counts, or the thread
/// that selects, except where a field is atomic; any thread may read and may see numbers that lag.
final class ReadinessCounters {
  private static final List<ReadinessCounters> ALL = new ArrayList<>();

  /// Calls of a `select` method.
  long selects;

  /// `epoll_wait` calls.
  long waits;

  /// Waits that were held for more to come.
  long holds;

  /// `epoll_ctl` calls.
  long controls;

  /// `ppoll` calls that looked at the [RecheckList], and the descriptors they looked at.
  long looks;

  long looked;

  /// Interest changes and registrations asked for.
  final AtomicLong changes = new AtomicLong();

  /// Reports of descriptors in which no key has an interest any more.
  long unwanted;

  /// Times the kernel's set was built again because of events of files long closed.
  long rebuilds;

  /// Calls of `wakeup`, and those that had to write.
  final AtomicLong wakeups = new AtomicLong();

  final AtomicLong wakeupsWritten = new AtomicLong();

  /// Prints the sums at the JVM's exit.
  static void printAtExit() {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> System.err.println("sluice.nio: " + sum()), "sluice-nio-stats"));
  }

  /// Counts that [#printAtExit] will include. The list keeps them when their selector is gone.
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
