/// Framing on a connection between a client and a server that is not ours: all that the loop has to
/// know before it inserts a reply among the replies of that server.
///
/// ```
///  client ──bytes──▶ FrontTracker.look ──▶ REQUEST, BODY ──▶ application
///                          │ owed, in order                     │
///  client ◀──────────────  FrontTracker.replied ◀──bytes────────┘   (ReplyFraming)
/// ```
///
/// Nothing here changes a byte, and nothing here guesses: bytes that cannot be parsed make the
/// connection opaque (`OpaqueReason`), and from then on it belongs to the application alone.
@NullMarked
package sluice.http.front;

import org.jspecify.annotations.NullMarked;
