package sluice.http.handlers;

import org.jspecify.annotations.Nullable;

/// The part of a connection's state that concerns handlers, which is preserved between two calls of
/// the protocol. Called by the loop's thread.
public interface HandlerSession {
  /// Returns true if no request is answered after the current reply.
  boolean closing();

  /// Returns the route for which a request is held, or null if no request is held.
  @Nullable BoundRoute heldFor();

  /// Holds a request whose head is complete until its body has arrived.
  ///
  /// @param messageBytes the total number of bytes of the head and body
  void hold(BoundRoute route, int messageBytes);

  /// Returns the body that is being collected, or null if there is none.
  @Nullable Upload upload();

  void collect(Upload into);

  /// Ends the collection because the body is complete or was abandoned.
  void collected();

  /// Returns the feed of a body that is passed to a handler as it arrives, or null if there is
  /// none.
  @Nullable BodyFeed feed();

  void feed(BodyFeed from);

  /// Ends the feed because the body is complete or the rest is not needed.
  void fed();
}
