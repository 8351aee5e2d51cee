package sluice.nfs.v4;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.nfs.v4.wire.Opaque;

/// A client that has introduced itself with EXCHANGE_ID (RFC 8881, section 2.4). It is changed
/// under the lock of [Nfs4StateManager], except that any thread may renew its lease.
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

  /// The verifier, which the client changes whenever it is restarted.
  final long verifier;

  /// The user that introduced the client. Requests of other users on behalf of the client are
  /// refused.
  final int uid;

  /// The machine that introduced the client, see [#host].
  final long host;

  boolean confirmed;

  /// The sequence number of the last CREATE_SESSION that was answered, either with a session or
  /// with a refusal.
  int sequence;

  /// The reply to the last CREATE_SESSION, or null if there was none.
  @Nullable SessionAnswer answer;

  final List<Nfs4Session> sessions = new ArrayList<>(1);
  final Set<Nfs4State> states = new HashSet<>();

  /// The number of byte ranges that the client has locked.
  int ranges;

  /// True after the client has sent RECLAIM_COMPLETE.
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

  /// Returns a number that identifies a machine. It is the IPv4 address or the upper 64 bits of the
  /// IPv6 address, because one machine may use all addresses of a /64 network.
  static long host(InetAddress address) {
    byte[] bytes = address.getAddress();
    long host = 0;
    for (int i = 0; i < Math.min(bytes.length, Long.BYTES); i++) {
      host = host << 8 | (bytes[i] & 0xFF);
    }
    return host;
  }

  /// Returns the sequence number that is expected in the next CREATE_SESSION.
  int nextSequence() {
    return sequence + 1;
  }

  boolean isIdle() {
    return sessions.isEmpty() && states.isEmpty();
  }
}
