/// Tracks the framing on a connection between a client and an independent server, so that the loop
/// can determine when it may insert a reply between the replies of that server.
///
/// ```
///  client ──bytes──▶ FrontTracker.look ──▶ REQUEST, BODY ──▶ application
///                          │ owed, in order                     │
///  client ◀──────────────  FrontTracker.replied ◀──bytes────────┘   (ReplyFraming)
/// ```
///
/// No byte is modified, and nothing is guessed. If bytes cannot be parsed, the connection becomes
/// opaque (`OpaqueReason`), and all further bytes are forwarded to the application.
@NullMarked
package sluice.http.front;

import org.jspecify.annotations.NullMarked;
