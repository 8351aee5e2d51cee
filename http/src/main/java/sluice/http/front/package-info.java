/// Framing on a connection between a client and a server that is not ours: all that the loop has to
/// know before it inserts a reply among the replies of that server.
@NullMarked
package sluice.http.front;

import org.jspecify.annotations.NullMarked;
