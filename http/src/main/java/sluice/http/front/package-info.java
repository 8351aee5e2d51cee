/// Where messages begin and end on a connection between a client and a server that is not ours:
/// what an answer from the loop has to know before it is put among the replies of that server.
///
/// ```
///  client ──bytes──▶ FrontTracker.look ──▶ REQUEST, BODY ──▶ application
///                          │ owed, in order                     │
///  client ◀──────────────  FrontTracker.replied ◀──bytes────────┘   (ReplyFraming)
/// ```
///
/// Nothing here changes a byte, and nothing here guesses: what is not understood makes the
/// connection opaque (`OpaqueReason`), and from then on it is the application's alone.
@NullMarked
package sluice.http.front;

import org.jspecify.annotations.NullMarked;
