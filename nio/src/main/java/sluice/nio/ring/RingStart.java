package sluice.nio.ring;

import org.jspecify.annotations.Nullable;

/// The decision of when a selector starts its ring. The setup costs as much time (about 400 µs) as
/// a ring saves in some hundred reports of a ready channel. A selector therefore begins on epoll,
/// as the JDK's do, and starts a ring when it has made that many reports to one thread. By this
/// rule of the ski rental problem, no selector pays more than about twice the cost of the better
/// choice.
///
/// A ring belongs to one thread. A selector that has made as many reports to alternating threads
/// gets none.
///
/// Owned by the holder of the selector.
public final class RingStart {
  /// The decision before a select.
  enum Decision {
    WAIT,
    START,
    NEVER
  }

  /// The number of reports to one thread after which a ring is started.
  public static final int REPORTS = 512;

  private final int after;
  private @Nullable Thread thread;
  private int reportsToThread;
  private int reports;

  /// @param after the number of reports to one thread after which a ring is started
  RingStart(int after) {
    this.after = after;
  }

  /// Returns the decision for a select that a thread begins.
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

  /// Records the end of a select.
  ///
  /// @param channels the number of channels that it has reported, at least 0
  void reported(int channels) {
    reportsToThread += channels;
    reports += channels;
  }
}
