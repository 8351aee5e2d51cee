package sluice.nfs.v4;

import org.jspecify.annotations.Nullable;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.v4.wire.LockRange;
import sluice.nfs.v4.wire.Nfs4Status;
import sluice.nfs.v4.wire.Opaque;

/// Grants and releases byte-range locks (RFC 8881, sections 9.1 to 9.6 and 18.10 to 18.12). These
/// methods are called by workers, and the rules are applied under the lock of [Nfs4StateManager]. A
/// request never waits for a byte-range lock, which is either granted or denied.
final class Nfs4Locks {
  private final Nfs4StateManager stateManager;

  Nfs4Locks(Nfs4StateManager stateManager) {
    this.stateManager = stateManager;
  }

  /// The arguments of a LOCK operation.
  ///
  /// @param id the stateid of an open if the lock owner is new, otherwise the stateid of the
  ///   owner's existing locks
  /// @param owner the new lock owner, or null if `id` refers to existing locks
  record Request(
      Nfs4Client client, StateId id, @Nullable Opaque owner, Nfs4File.Key file, LockRange range) {}

  /// The result of a LOCK operation, which is either a stateid or a conflicting lock.
  ///
  /// @param id the stateid of the locks, or null if the lock was denied
  /// @param against the conflicting lock, or null if the lock was granted
  record Answer(@Nullable StateId id, @Nullable Conflict against) {}

  /// A lock of another owner that conflicts with a request.
  record Conflict(long start, long end, boolean write, long client, Opaque owner) {}

  Answer lock(Request request) throws NfsException {
    return stateManager.change(() -> grantLock(request));
  }

  private Answer grantLock(Request request) throws NfsException {
    Nfs4Client client = request.client();
    Nfs4Opens.requireAlive(client);
    Nfs4State state = stateManager.states.find(client, request.id());
    Nfs4File file = state.file;
    boolean byOpen = state instanceof Nfs4Open;
    Opaque owner = request.owner();
    if (!file.key.equals(request.file()) || byOpen != (owner != null)) {
      throw new NfsException(Nfs4Status.BAD_STATEID);
    }
    LockRange range = request.range();
    int needed = range.write() ? Nfs4Open.WRITE : Nfs4Open.READ;
    if ((state.open().access & needed) == 0) {
      throw new NfsException(Nfs4Status.OPENMODE);
    }
    Nfs4Lock locks =
        state instanceof Nfs4Lock own ? own : owner == null ? null : file.lock(client, owner);
    Opaque lockOwner = owner == null ? state.owner : owner;
    Conflict conflict = conflict(file, client, lockOwner, range);
    if (conflict != null) {
      return new Answer(null, conflict);
    }
    if (client.ranges + 2 > stateManager.limits.rangesPerClient()) {
      throw new NfsException(NfsStatus.SERVERFAULT);
    }
    if (locks == null) {
      stateManager.requireRoom(client);
      locks = new Nfs4Lock(state.open(), lockOwner);
      state.open().locks.add(locks);
      file.locks.add(locks);
      stateManager.add(locks);
    } else {
      locks.changed();
    }
    int before = locks.ranges.count();
    locks.ranges.lock(range.start(), range.end(), range.write());
    client.ranges += locks.ranges.count() - before;
    return new Answer(stateManager.states.idOf(locks), null);
  }

  /// Returns the lock that conflicts with the given range, or null if there is none.
  @Nullable Conflict test(Nfs4Client client, Opaque owner, Nfs4File.Key key, LockRange range)
      throws NfsException {
    Answer answer =
        stateManager.change(() -> {
          Nfs4File file = stateManager.file(key);
          return new Answer(null, file == null ? null : conflict(file, client, owner, range));
        });
    return answer.against();
  }

  private @Nullable Conflict conflict(
      Nfs4File file, Nfs4Client client, Opaque owner, LockRange range) {
    while (true) {
      Nfs4Lock other = file.against(client, owner, range);
      if (other == null) {
        return null;
      }
      if (other.client == client || !stateManager.isExpired(other.client)) {
        ByteRanges ranges = other.ranges;
        int at = ranges.conflict(range.start(), range.end(), range.write());
        return new Conflict(
            ranges.start(at), ranges.end(at), ranges.isWrite(at), other.client.id, other.owner);
      }
      stateManager.expire(other.client);
    }
  }

  private Nfs4Lock find(Nfs4Client client, StateId id) throws NfsException {
    if (stateManager.states.find(client, id) instanceof Nfs4Lock locks) {
      return locks;
    }
    throw new NfsException(Nfs4Status.BAD_STATEID);
  }

  StateId unlock(Nfs4Client client, StateId id, Nfs4File.Key file, LockRange range)
      throws NfsException {
    return stateManager.change(() -> {
      Nfs4Lock locks = find(client, id);
      if (!locks.file.key.equals(file)) {
        throw new NfsException(Nfs4Status.BAD_STATEID);
      }
      int before = locks.ranges.count();
      locks.ranges.unlock(range.start(), range.end());
      client.ranges += locks.ranges.count() - before;
      locks.changed();
      return stateManager.states.idOf(locks);
    });
  }

  /// Frees the stateid of a lock owner that does not hold any locks.
  ///
  /// @throws NfsException `LOCKS_HELD` if the stateid refers to an open or if the owner holds locks
  void free(Nfs4Client client, StateId id) throws NfsException {
    stateManager.change(() -> {
      Nfs4State state = stateManager.states.find(client, id);
      if (!(state instanceof Nfs4Lock locks) || locks.ranges.count() > 0) {
        throw new NfsException(Nfs4Status.LOCKS_HELD);
      }
      stateManager.remove(locks);
      return true;
    });
  }
}
