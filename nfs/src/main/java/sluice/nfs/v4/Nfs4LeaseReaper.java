package sluice.nfs.v4;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import sluice.nfs.export.NfsException;

/// Drops clients with an expired lease that have deleted files open: such a file keeps its blocks
/// and its inode until it is closed, and no client can find it any more. Loops call [#due]; workers
/// call [#look]. The reaper has no thread: once per lease time, a request that renews a lease runs
/// it.
///
/// Other clients with an expired lease keep their state until another client needs it
/// ([Nfs4StateManager]).
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | next | the thread that looks | volatile | compareAndSet |
final class Nfs4LeaseReaper {
  private final Nfs4StateManager stateManager;
  private final AtomicLong next;

  Nfs4LeaseReaper(Nfs4StateManager stateManager) {
    this.stateManager = stateManager;
    next = new AtomicLong(stateManager.nanoClock.getAsLong() + stateManager.limits.leaseNanos());
  }

  /// Returns true if it is time to call [#look]. Never waits.
  ///
  /// @param now the time of the state manager's clock
  boolean due(long now) {
    return now - next.get() >= 0;
  }

  /// Drops expired clients that have deleted files open. Concurrent calls return at once. Must be
  /// called without the state manager's lock.
  void look(long now) throws NfsException {
    long was = next.get();
    if (now - was < 0 || !next.compareAndSet(was, now + stateManager.limits.leaseNanos())) {
      return;
    }
    Map<Nfs4Client, List<Nfs4File.Key>> expired = stateManager.change(stateManager::expired);
    for (Map.Entry<Nfs4Client, List<Nfs4File.Key>> one : expired.entrySet()) {
      if (one.getValue().stream().anyMatch(Nfs4LeaseReaper::isNameless)) {
        forget(one.getKey());
      }
    }
  }

  private void forget(Nfs4Client client) throws NfsException {
    stateManager.change(() -> {
      boolean still =
          !client.gone && stateManager.isExpired(client); // the lease may be renewed meanwhile
      if (still) {
        stateManager.expire(client);
      }
      return still;
    });
  }

  private static boolean isNameless(Nfs4File.Key file) {
    try {
      return file.tree().attributes(file.inode()).links() == 0;
    } catch (IOException _) {
      // The file was closed meanwhile, or its device fails: dropping the client frees nothing.
      return false;
    }
  }
}
