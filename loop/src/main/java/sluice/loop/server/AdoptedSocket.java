package sluice.loop.server;

import org.jspecify.annotations.Nullable;
import sluice.loop.tls.TlsContext;

/// A listening socket that was opened by another process and is adopted by a [Server]. Immutable,
/// so any thread may read it.
///
/// @param fd the descriptor, for example one passed by systemd
/// @param tls the TLS context of its connections, or null for connections without TLS
public record AdoptedSocket(int fd, @Nullable TlsContext tls) {}
