package sluice.http.handlers;

import org.jspecify.annotations.Nullable;

/// The state of a connection between two calls of the protocol, as far as it concerns handlers.
/// Called by the loop's thread.
public interface HandlerSession {
  /// Returns true if no request is answered after the reply under way.
  boolean closing();

  /// Returns the route that a request is held for; null if none is held.
  @Nullable BoundRoute heldFor();

  /// Holds a request whose head is whole; it is handled when its body has arrived.
  ///
  /// @param messageBytes the bytes of head and body
  void hold(BoundRoute route, int messageBytes);

  /// Returns the body that is being collected; null if there is none.
  @Nullable Upload upload();

  void collect(Upload into);

  /// Ends collecting: the body is complete, or was given up.
  void collected();

  /// Returns the feed of a body that goes to a handler as it arrives; null if there is none.
  @Nullable BodyFeed feed();

  void feed(BodyFeed from);

  /// Ends the feed: the body was put completely, or the rest is not wanted.
  void fed();
}
