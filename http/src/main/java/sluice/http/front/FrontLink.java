package sluice.http.front;

import sluice.memory.View;

/// The application's end of one connection. The loop's thread calls; none of the methods may block.
public interface FrontLink {
  /// Takes a copy of bytes for the application: all of them.
  ///
  /// @return false when no more should come before [FrontedConnection#resume]
  boolean received(View view, int from, int to);

  /// Whether the application has left bytes unread.
  boolean holdsUnread();

  /// The client sends no more.
  void ended();

  /// The connection is gone, without a word of the client or of the application.
  void reset();
}
