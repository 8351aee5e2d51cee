package sluice.http.front;

import org.jspecify.annotations.Nullable;

/// The application behind a front. It receives those connections of a listening socket that have
/// sent data for it.
public interface FrontApplication {
  /// Passes a connection to the application. From now on the connection is shared with the
  /// application, although the front still answers the requests that it can. Called on the loop's
  /// thread.
  ///
  /// @return the receiver of the client's bytes, or null if the application accepts no connection,
  ///   in which case the connection is reset
  @Nullable FrontLink connected(FrontedConnection connection);

  /// Called on the loop's thread when a client starts a TLS handshake, in which case all bytes of
  /// its connection are passed to the application.
  void secured();

  /// Called on the loop's thread after a turn of the loop that has called methods of links. A
  /// single call may wake all threads that wait for them.
  void told();
}
