package sluice.http.front;

import sluice.memory.View;

/// The application's end of a connection. The methods are called on the loop's thread and must not
/// block.
public interface FrontLink {
  /// Copies all of the given bytes for the application.
  ///
  /// @return false if no more bytes may be passed before [FrontedConnection#resume] is called
  boolean received(View view, int from, int to);

  /// Returns true if the application has not read all bytes.
  boolean holdsUnread();

  /// Called when the client has shut down its side of the connection.
  void ended();

  /// Called when the connection has been closed by neither the client nor the application.
  void reset();
}
