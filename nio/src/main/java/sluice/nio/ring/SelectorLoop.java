package sluice.nio.ring;

import java.io.IOException;

/// A loop that a selector's thread turns, instead of waiting for the selector's epoll set alone.
/// [#turn] is for the selecting thread; any thread may call the rest.
public interface SelectorLoop {
  /// The result of a turn for the selector.
  enum Turned {
    /// The set has shown no events.
    QUIET,
    /// The set has events.
    READY,
    /// The loop has ended: the selector waits for its set itself from now on.
    OVER
  }

  /// Runs one turn. Returns when the turn has handled something, the set has events, a thread calls
  /// [#wake], or the time is over; may return early.
  ///
  /// @param set the descriptor of the epoll set
  /// @param watching true if the set has channels
  /// @param nanos 0 does not wait, negative waits without limit
  /// @throws IOException if a thread other than the first one selects
  Turned turn(int set, boolean watching, long nanos) throws IOException;

  /// Returns true if the calling thread turns the loop.
  boolean isHere();

  /// Ends the current wait, or the next one.
  void wake();

  /// Ends the loop because the selector has closed: now, or when the loop's thread calls this too.
  ///
  /// @param ended runs when the loop no longer needs the set
  void close(Runnable ended);
}
