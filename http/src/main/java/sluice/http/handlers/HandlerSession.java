package sluice.http.handlers;

import org.jspecify.annotations.Nullable;

/// What the protocol remembers of a connection between two calls, as far as handlers take part in
/// it. The loop's thread calls.
public interface HandlerSession {
  /// Whether nothing more is answered after the reply under way.
  boolean closing();

  /// The route that a request is held for; null when none is.
  @Nullable BoundRoute heldFor();

  /// A head is whole, and looked at again when its body has come.
  ///
  /// @param messageBytes of head and body
  void hold(BoundRoute route, int messageBytes);

  /// The body that is being collected; null when none is.
  @Nullable Upload upload();

  void collect(Upload into);

  /// The body is complete, or given up.
  void collected();

  /// The body that goes to a handler as it comes; null when none does.
  @Nullable BodyFeed feed();

  void feed(BodyFeed from);

  /// The body was put as a whole, or no more of it is wanted.
  void fed();
}
