package sluice.nfs.v4;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import sluice.nfs.rpc.XdrWriter;
import sluice.nfs.v4.wire.Nfs4Channel;

/// A session of a client. It contains the slots for requests and the connections on which these
/// requests may arrive. This class is thread-safe.
///
/// A connection belongs to a session if the session was created on it, or if a SEQUENCE or
/// BIND_CONN_TO_SESSION of the session was sent on it (RFC 8881, section 2.10.3.1). The session
/// stores the last 16 connections, which is the maximum that a Linux client opens (`nconnect`).
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | connections | any thread | volatile | volatile; two that are new at once may share a place |
/// | nextConnection | any thread | volatile | getAndIncrement |
final class Nfs4Session {
  static final int ID_BYTES = 16;
  private static final int CONNECTIONS = 16;

  final Nfs4Client client;

  /// The two halves of the session ID. The second half starts with the index in the table of
  /// sessions.
  final long id;

  final long place;
  final Nfs4Channel fore;
  final Nfs4Channel back;
  private final Nfs4Slot[] slots;

  /// The connection numbers plus one. The value 0 represents an unused entry.
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

  /// Returns the slot with the given index.
  ///
  /// @param index 0 to [#slots] - 1
  Nfs4Slot slot(int index) {
    return slots[index];
  }

  /// Returns true if the given connection belongs to this session.
  boolean isBound(long connection) {
    for (int i = 0; i < CONNECTIONS; i++) {
      if (connections.get(i) == connection + 1) {
        return true;
      }
    }
    return false;
  }

  /// Adds a connection to this session.
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
