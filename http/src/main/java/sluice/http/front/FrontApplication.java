package sluice.http.front;

import org.jspecify.annotations.Nullable;

/// The application behind a front: takes the connections of one listening socket that have brought
/// something for it.
public interface FrontApplication {
  /// A connection is the application's from now on, beside the front, which goes on answering what
  /// it can. On the loop's thread.
  ///
  /// @return takes what the client sends; null when the application takes no connection, which is
  ///   then reset
  @Nullable FrontLink connected(FrontedConnection connection);

  /// A client has begun with a TLS handshake: everything on its connection is the application's. On
  /// the loop's thread.
  void secured();

  /// A turn of the loop has told links something: the threads that wait for it may be woken, once
  /// for all. On the loop's thread.
  void told();
}
