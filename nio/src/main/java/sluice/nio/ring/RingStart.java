package sluice.nio.ring;

import org.jspecify.annotations.Nullable;

/// Decides when a selector starts its ring. The setup takes about 400 µs, which a ring saves in a
/// few hundred reports of ready channels. A selector therefore uses epoll initially, as the JDK's
/// selectors do, and starts a ring after it has made that many reports to one thread. As in the ski
/// rental problem, this rule ensures that no selector incurs more than about twice the cost of the
/// better choice.
///
/// Since a ring belongs to one thread, no ring is started for a selector that has made this many
/// reports to alternating threads.
///
/// This object is owned by the holder of the selector.
public final class RingStart {
  /// The decision that is made before a select.
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

  /// Returns the decision for a select by the given thread.
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
  /// @param channels the number of channels that were reported, at least 0
  void reported(int channels) {
    reportsToThread += channels;
    reports += channels;
  }
}
