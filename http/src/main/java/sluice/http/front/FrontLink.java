package sluice.http.front;

import sluice.memory.View;

/// The application's end of one connection. The loop's thread calls the methods; none may block.
public interface FrontLink {
  /// Takes a copy of all the given bytes for the application.
  ///
  /// @return false if no more bytes should come before [FrontedConnection#resume]
  boolean received(View view, int from, int to);

  /// Returns true if the application has left bytes unread.
  boolean holdsUnread();

  /// Called when the client has ended its side.
  void ended();

  /// Called when the connection is gone although neither the client nor the application ended it.
  void reset();
}
