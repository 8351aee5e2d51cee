package sluice.nio.ring;

import java.io.IOException;

/// A loop that the selecting thread runs instead of only waiting for the selector's epoll set. Only
/// the selecting thread may call [#turn]. Any thread may call the other methods.
public interface SelectorLoop {
  /// The result of a turn.
  enum Turned {
    /// The set has no events.
    QUIET,
    /// The set has events.
    READY,
    /// The loop has terminated, so the selector must wait for its set itself from now on.
    OVER
  }

  /// Runs one turn. This method returns when the turn has handled something, the set has events, a
  /// thread calls [#wake], or the timeout expires. It may also return early.
  ///
  /// @param set the descriptor of the epoll set
  /// @param watching true if the set is not empty
  /// @param nanos the timeout, 0 to return immediately, or a negative number to wait indefinitely
  /// @throws IOException if a thread other than the first one selects
  Turned turn(int set, boolean watching, long nanos) throws IOException;

  /// Returns true if the calling thread runs the loop.
  boolean isHere();

  /// Ends the current wait. If no wait is in progress, the next one returns immediately.
  void wake();

  /// Closes the loop because the selector has been closed. The loop is closed immediately, or when
  /// the loop's thread also calls this method.
  ///
  /// @param ended invoked when the loop no longer needs the set
  void close(Runnable ended);
}
