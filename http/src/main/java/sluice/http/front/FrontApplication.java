package sluice.http.front;

import org.jspecify.annotations.Nullable;

/// The application behind a front. It receives the connections of one listening socket that have
/// sent data for it.
public interface FrontApplication {
  /// Takes a connection. From now on it belongs to the application, too; the front still answers
  /// what it can. Called on the loop's thread.
  ///
  /// @return the receiver of the client's bytes; null if the application takes no connection, which
  ///   is then reset
  @Nullable FrontLink connected(FrontedConnection connection);

  /// Called on the loop's thread when a client begins with a TLS handshake: all bytes of its
  /// connection go to the application.
  void secured();

  /// Called on the loop's thread after a turn of the loop has called methods of links: one call may
  /// wake all threads that wait for them.
  void told();
}
