package sluice.nfs.v4;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import sluice.nfs.export.NfsException;
import sluice.nfs.v4.wire.Nfs4Status;

/// The table of states, indexed by the stateid. Any thread may look up a state, which requires
/// neither a search nor a lock. Adding or removing a state requires the lock of [Nfs4StateManager].
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | table | stateManager | volatile, elements volatile | volatile, under the lock |
/// | free, freeCount, used, nextTag | stateManager | under the lock | under the lock |
final class Nfs4StateTable {
  private static final int FIRST = 256;

  private final int instance;
  private final int most;
  private volatile AtomicReferenceArray<@Nullable Nfs4State> table;
  private int[] free = new int[FIRST];
  private int freeCount;
  private int used;
  private int nextTag = 1;

  /// Creates an empty table.
  ///
  /// @param instance a random number that identifies the current run of the server, neither 0 nor
  ///   -1
  /// @param most the maximum number of states
  Nfs4StateTable(int instance, int most) {
    this.instance = instance;
    this.most = most;
    table = new AtomicReferenceArray<>(FIRST);
  }

  int instance() {
    return instance;
  }

  boolean isFull() {
    return freeCount == 0 && used == most;
  }

  /// Adds a state. The caller must have checked that [#isFull] returns false.
  void add(Nfs4State state) {
    if (freeCount > 0) {
      freeCount--;
      state.index = free[freeCount];
    } else {
      if (used == table.length()) {
        grow();
      }
      state.index = used;
      used++;
    }
    state.tag = nextTag;
    nextTag++;
    table.set(state.index, state);
  }

  private void grow() {
    AtomicReferenceArray<@Nullable Nfs4State> larger =
        new AtomicReferenceArray<>(Math.min(most, 2 * table.length()));
    for (int i = 0; i < used; i++) {
      larger.set(i, table.get(i));
    }
    table = larger;
  }

  void remove(Nfs4State state) {
    table.set(state.index, null);
    state.gone = true;
    if (freeCount == free.length) {
      free = java.util.Arrays.copyOf(free, 2 * freeCount);
    }
    free[freeCount] = state.index;
    freeCount++;
  }

  StateId idOf(Nfs4State state) {
    return StateId.of(instance, state);
  }

  /// Returns the state with the given stateid of a client.
  ///
  /// @throws NfsException `STALE_STATEID` if the stateid was created by a previous run of the
  ///   server, `OLD_STATEID` if the state has been changed since then, `BAD_STATEID` otherwise
  Nfs4State find(Nfs4Client client, StateId id) throws NfsException {
    if (id.instance() != instance) {
      boolean none = id.isSpecial() || id.instance() == 0 || id.instance() == -1;
      throw new NfsException(none ? Nfs4Status.BAD_STATEID : Nfs4Status.STALE_STATEID);
    }
    AtomicReferenceArray<@Nullable Nfs4State> now = table;
    int index = id.index();
    Nfs4State state = index >= 0 && index < now.length() ? now.get(index) : null;
    if (state == null || state.tag != id.tag() || state.client != client || state.gone) {
      throw new NfsException(Nfs4Status.BAD_STATEID);
    }
    int newest = state.sequence;
    if (id.sequence() != 0 && id.sequence() != newest) {
      boolean old = id.sequence() - newest < 0;
      throw new NfsException(old ? Nfs4Status.OLD_STATEID : Nfs4Status.BAD_STATEID);
    }
    return state;
  }
}
