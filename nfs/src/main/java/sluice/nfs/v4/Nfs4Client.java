package sluice.nfs.v4;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.nfs.v4.wire.Opaque;

/// One client, as EXCHANGE_ID made it known (RFC 8881, section 2.4). Changed under the lock of
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

  /// Differs between the starts of one client.
  final long verifier;

  /// The principal that has made it known: no other may do it in its name.
  final int uid;

  /// The machine it was made known from, see [#host].
  final long host;

  boolean confirmed;

  /// The last CREATE_SESSION that was answered, by a session or a refusal.
  int sequence;

  /// What it was answered; null before the first.
  @Nullable SessionAnswer answer;

  final List<Nfs4Session> sessions = new ArrayList<>(1);
  final Set<Nfs4State> states = new HashSet<>();

  /// Ranges it has locked.
  int ranges;

  /// Whether it has said RECLAIM_COMPLETE.
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

  /// What is counted as one machine: an address of IPv4, or a network of 64 bits of IPv6, all of
  /// whose addresses one machine may have.
  static long host(InetAddress address) {
    byte[] bytes = address.getAddress();
    long host = 0;
    for (int i = 0; i < Math.min(bytes.length, Long.BYTES); i++) {
      host = host << 8 | (bytes[i] & 0xFF);
    }
    return host;
  }

  /// What the next CREATE_SESSION must bear.
  int nextSequence() {
    return sequence + 1;
  }

  boolean isIdle() {
    return sessions.isEmpty() && states.isEmpty();
  }
}
