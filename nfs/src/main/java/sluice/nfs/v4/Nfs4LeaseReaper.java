package sluice.nfs.v4;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import sluice.nfs.export.NfsException;

/// Looks for clients whose lease has ended and that keep files in being which no client can find
/// any more: an open file without a name takes its space and its inode until it is closed. Loops
/// ask [#due]; workers look. It has no thread of its own: a request that renews a lease looks, once
/// per lease time.
///
/// Other clients that have gone silent keep what they have until another client wants it
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

  /// Whether it is time to look. Never waits.
  ///
  /// @param now of the stateManager's clock
  boolean due(long now) {
    return now - next.get() >= 0;
  }

  /// Forgets clients that keep files without a name and do not come back; one caller at a time, the
  /// others go on. Without the stateManager's lock.
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
          !client.gone && stateManager.isExpired(client); // it may have come back meanwhile
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
      return false; // closed meanwhile, or its device is broken: nothing to be gained
    }
  }
}
