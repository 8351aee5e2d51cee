package sluice.nfs;

import java.io.IOException;
import java.util.Set;

/// Which clients hold state, kept where it outlives the server: after a restart they, and nobody
/// else, may claim what they had (RFC 8881, section 8.4.2). Workers call, several at a time.
interface StableClients {
  /// Those that were recorded when the server started.
  Set<Opaque> previous();

  /// Records a client; it is stable when this returns.
  void record(Opaque owner) throws IOException;

  /// Forgets a client; that is stable when this returns.
  void forget(Opaque owner) throws IOException;

  /// Forgets those of [#previous] that have not been recorded again. Does nothing the second time.
  void graceEnded() throws IOException;
}
