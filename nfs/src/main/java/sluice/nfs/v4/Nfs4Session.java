package sluice.nfs.v4;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import sluice.nfs.rpc.XdrWriter;
import sluice.nfs.v4.wire.Nfs4Channel;

/// A session: the slots through which a client's requests come, and the connections they come on.
/// Any thread may use it.
///
/// A connection belongs to a session once the session was made on it, or a SEQUENCE or a
/// BIND_CONN_TO_SESSION of it came on it (RFC 8881, section 2.10.3.1). The last 16 are kept, as
/// many as a Linux client opens (`nconnect`).
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | connections | any thread | volatile | volatile; two that are new at once may share a place |
/// | nextConnection | any thread | volatile | getAndIncrement |
final class Nfs4Session {
  static final int ID_BYTES = 16;
  private static final int CONNECTIONS = 16;

  final Nfs4Client client;

  /// The two halves of its id; the second begins with its place in the table.
  final long id;

  final long place;
  final Nfs4Channel fore;
  final Nfs4Channel back;
  private final Nfs4Slot[] slots;

  /// Their numbers and one more, as 0 is none.
  private final AtomicLongArray connections = new AtomicLongArray(CONNECTIONS);

  private final AtomicInteger nextConnection = new AtomicInteger();

  Nfs4Session(Nfs4Client client, long place, Nfs4Channel fore, Nfs4Channel back) {
    this.client = client;
    this.id = client.id;
    this.place = place;
    this.fore = fore;
    this.back = back;
    slots = new Nfs4Slot[fore.requests()];
    for (int i = 0; i < slots.length; i++) {
      slots[i] = new Nfs4Slot();
    }
  }

  int slots() {
    return slots.length;
  }

  /// @param index 0 to [#slots] - 1
  Nfs4Slot slot(int index) {
    return slots[index];
  }

  /// Whether a connection belongs to the session.
  boolean isBound(long connection) {
    for (int i = 0; i < CONNECTIONS; i++) {
      if (connections.get(i) == connection + 1) {
        return true;
      }
    }
    return false;
  }

  /// A connection belongs to the session from now on.
  void bind(long connection) {
    if (!isBound(connection)) {
      int place = nextConnection.getAndIncrement() & (CONNECTIONS - 1);
      connections.set(place, connection + 1);
    }
  }

  void writeId(XdrWriter out) {
    out.int64(id).int64(place);
  }
}
