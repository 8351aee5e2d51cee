package sluice.nfs.v4;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import sluice.nfs.export.NfsException;

/// Removes clients whose lease has expired and that have deleted files open. The blocks and the
/// inode of a deleted file are not freed until it is closed, although no client can find the file
/// any longer. Loops call [#due] and workers call [#look]. The reaper does not have its own thread.
/// Instead, it is invoked once per lease time by a request that renews a lease.
///
/// The state of other clients whose lease has expired is retained until it conflicts with a request
/// of another client ([Nfs4StateManager]).
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

  /// Returns true if [#look] should be called now. This method never blocks.
  ///
  /// @param now the time of the state manager's clock
  boolean due(long now) {
    return now - next.get() >= 0;
  }

  /// Removes the clients whose lease has expired and that have deleted files open. If another
  /// thread is already executing this method, it returns immediately. It must be called without
  /// holding the lock of the state manager.
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
      boolean still = !client.gone && stateManager.isExpired(client); // it may have been renewed
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
      // Either the file has been closed in the meantime or its device has failed. In both cases,
      // removing the client would not free anything.
      return false;
    }
  }
}
