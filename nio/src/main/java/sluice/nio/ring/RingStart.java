package sluice.nio.ring;

import org.jspecify.annotations.Nullable;

/// When one selector starts its ring. Setting up a ring takes as long as a ring saves in some
/// hundred reports of a ready channel (about 400 µs), so a selector begins on epoll, as the JDK's
/// do, and takes a ring when it has reported that many to one thread: the rule of the ski rental
/// problem, by which no selector pays more than about twice what the better choice would have cost.
///
/// A ring belongs to one thread. A selector that has reported as many to threads in turn gets none.
///
/// Belongs to the holder of the selector.
public final class RingStart {
  /// What is to be done before a select.
  enum Decision {
    WAIT,
    START,
    NEVER
  }

  /// Reports to one thread after which a ring is started.
  public static final int REPORTS = 512;

  private final int after;
  private @Nullable Thread thread;
  private int reportsToThread;
  private int reports;

  /// @param after reports to one thread after which a ring is started
  RingStart(int after) {
    this.after = after;
  }

  /// A thread begins a select.
  Decision select(Thread selecting) {
    if (selecting != thread) {
      thread = selecting;
      reportsToThread = 0;
    }
    if (reportsToThread >= after) {
      return Decision.START;
    }
    return reports >= 2L * after ? Decision.NEVER : Decision.WAIT;
  }

  /// The select has ended.
  ///
  /// @param channels that it has reported, at least 0
  void reported(int channels) {
    reportsToThread += channels;
    reports += channels;
  }
}
