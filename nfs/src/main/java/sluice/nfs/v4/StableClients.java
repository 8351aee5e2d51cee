package sluice.nfs.v4;

import java.io.IOException;
import java.util.Set;
import sluice.nfs.v4.wire.Opaque;

/// Which clients hold state, kept where it outlives the server: after a restart they, and no others
/// else, may claim what they had (RFC 8881, section 8.4.2). Workers call, several at a time.
interface StableClients {
  /// Of a server whose trees can only be read: no client has anything to claim.
  StableClients NONE =
      new StableClients() {
        @Override
        public Set<Opaque> previous() {
          return Set.of();
        }

        @Override
        public void record(Opaque owner) {}

        @Override
        public void forget(Opaque owner) {}

        @Override
        public void graceEnded() {}
      };

  /// Those that were recorded when the server started.
  Set<Opaque> previous();

  /// Records a client; it is stable when this returns.
  void record(Opaque owner) throws IOException;

  /// Forgets a client; that is stable when this returns.
  void forget(Opaque owner) throws IOException;

  /// Forgets those of [#previous] that have not been recorded again. Does nothing the second time.
  void graceEnded() throws IOException;
}
