package sluice.nfs.v4;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.nfs.v4.wire.Opaque;

/// A client, as announced by EXCHANGE_ID (RFC 8881, section 2.4). It is changed under the lock of
/// [Nfs4StateManager]; any thread may renew its lease.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | renewedNanos | the thread that handles its SEQUENCE | volatile | volatile |
/// | gone, complete | stateManager | volatile | volatile, under the lock |
/// | all others | stateManager | under the lock | under the lock |
final class Nfs4Client {
  static final int VERIFIER_BYTES = 8;

  final long id;
  final Opaque owner;

  /// The verifier, which differs between two starts of the client.
  final long verifier;

  /// The user that announced the client. No other user may act for it.
  final int uid;

  /// The machine that announced the client, see [#host].
  final long host;

  boolean confirmed;

  /// The sequence number of the last CREATE_SESSION that was answered, with a session or a refusal.
  int sequence;

  /// The reply to the last CREATE_SESSION; null before the first.
  @Nullable SessionAnswer answer;

  final List<Nfs4Session> sessions = new ArrayList<>(1);
  final Set<Nfs4State> states = new HashSet<>();

  /// The number of byte ranges that the client has locked.
  int ranges;

  /// True after RECLAIM_COMPLETE.
  volatile boolean complete;

  volatile boolean gone;
  volatile long renewedNanos;

  Nfs4Client(long id, Opaque owner, long verifier, int uid, long host) {
    this.id = id;
    this.owner = owner;
    this.verifier = verifier;
    this.uid = uid;
    this.host = host;
  }

  /// Returns the number that stands for a machine: its IPv4 address, or the upper 64 bits of its
  /// IPv6 address, because one machine may have all addresses of a /64 network.
  static long host(InetAddress address) {
    byte[] bytes = address.getAddress();
    long host = 0;
    for (int i = 0; i < Math.min(bytes.length, Long.BYTES); i++) {
      host = host << 8 | (bytes[i] & 0xFF);
    }
    return host;
  }

  /// Returns the sequence number that the next CREATE_SESSION must carry.
  int nextSequence() {
    return sequence + 1;
  }

  boolean isIdle() {
    return sessions.isEmpty() && states.isEmpty();
  }
}
