package sluice.nfs.v4;

import java.io.IOException;
import java.util.Set;
import sluice.nfs.v4.wire.Opaque;

/// A persistent record of the clients that hold state. After a restart only these clients may
/// reclaim it (RFC 8881, section 8.4.2). The methods are called concurrently by workers.
interface StableClients {
  /// The record of a server without a writable tree, where no client may reclaim its state.
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

  /// Returns the clients that were recorded when the server started.
  Set<Opaque> previous();

  /// Records a client. The record is stable when this method returns.
  void record(Opaque owner) throws IOException;

  /// Removes a client. The removal is stable when this method returns.
  void forget(Opaque owner) throws IOException;

  /// Removes the clients of [#previous] that have not been recorded again. Subsequent calls have no
  /// effect.
  void graceEnded() throws IOException;
}
