package sluice.nfs.v4;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import sluice.nfs.v4.wire.Nfs4Channel;

/// The table of all sessions. Any thread may look up a session by its ID, which requires neither a
/// search nor a lock. Adding or removing a session requires the lock of [Nfs4StateManager].
///
/// ```
///  0                8        12       16
///  +----------------+--------+--------+
///  |  client's id   | index  | random |
///  +----------------+--------+--------+
/// ```
final class Nfs4Sessions {
  private final AtomicReferenceArray<@Nullable Nfs4Session> table;
  private final SecureRandom random = new SecureRandom();

  Nfs4Sessions(int most) {
    table = new AtomicReferenceArray<>(most);
  }

  /// Returns the session with the given ID, or null if there is none.
  @Nullable Nfs4Session find(long id, long place) {
    int index = (int) (place >>> 32);
    if (index < 0 || index >= table.length()) {
      return null;
    }
    Nfs4Session found = table.get(index);
    return found != null && found.id == id && found.place == place ? found : null;
  }

  boolean isFull() {
    for (int i = 0; i < table.length(); i++) {
      if (table.get(i) == null) {
        return false;
      }
    }
    return true;
  }

  /// Creates a session.
  ///
  /// @return null if the table is full
  @Nullable Nfs4Session add(Nfs4Client client, Nfs4Channel fore, Nfs4Channel back) {
    for (int i = 0; i < table.length(); i++) {
      if (table.get(i) == null) {
        long place = (long) i << 32 | (random.nextInt() & 0xFFFF_FFFFL);
        Nfs4Session made = new Nfs4Session(client, place, fore, back);
        table.set(i, made);
        client.sessions.add(made);
        return made;
      }
    }
    return null;
  }

  void remove(Nfs4Session session) {
    table.set((int) (session.place >>> 32), null);
  }
}
