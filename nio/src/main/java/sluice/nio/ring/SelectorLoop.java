package sluice.nio.ring;

import java.io.IOException;

/// A loop that the thread of a selector turns, in place of waiting for the selector's epoll set
/// alone. [#turn] is for the selecting thread; any thread may call the rest.
public interface SelectorLoop {
  /// What a turn was for the selector.
  enum Turned {
    /// The set was not seen to have events.
    QUIET,
    /// The set has events.
    READY,
    /// The loop is over: the selector waits for its set itself from now on.
    OVER
  }

  /// Turns once. Returns when a turn has brought something, the set has events, a thread wakes or
  /// the time is over; may return early.
  ///
  /// @param set descriptor of the epoll set
  /// @param watching whether the set has channels
  /// @param nanos 0 does not wait, negative waits without limit
  /// @throws IOException when another thread than the first one selects
  Turned turn(int set, boolean watching, long nanos) throws IOException;

  /// Whether the calling thread turns the loop.
  boolean isHere();

  /// Ends a wait, or the next one.
  void wake();

  /// The selector has closed. The loop ends here, or as soon as its thread calls this too.
  ///
  /// @param ended runs when the loop needs the set no more
  void close(Runnable ended);
}
