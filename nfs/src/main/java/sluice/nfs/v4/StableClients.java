package sluice.nfs.v4;

import java.io.IOException;
import java.util.Set;
import sluice.nfs.v4.wire.Opaque;

/// A persistent record of the clients that hold state. After a restart only these clients may
/// reclaim it (RFC 8881, section 8.4.2). Called concurrently by workers.
interface StableClients {
  /// The record of a server without a writable tree: no client may reclaim anything.
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

  /// Removes the clients of [#previous] that were not recorded again. Later calls do nothing.
  void graceEnded() throws IOException;
}
