package sluice.nfs.v4;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.XdrException;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;
import sluice.nfs.v4.wire.Bitmap;
import sluice.nfs.v4.wire.Nfs4Channel;
import sluice.nfs.v4.wire.Nfs4Status;
import sluice.nfs.v4.wire.Opaque;

/// The operations that create and destroy clients and sessions (RFC 8881, sections 18.33 to 18.37,
/// 18.50 and 18.51). These methods are called by workers, and the state that they change is guarded
/// by [Nfs4StateManager].
final class Nfs4ClientOperations {
  private static final int SP4_NONE = 0;
  private static final int SP4_MACH_CRED = 1;
  private static final int SP4_SSV = 2;

  /// The flags of EXCHANGE_ID.
  private static final int USE_NON_PNFS = 0x10000;

  private static final int UPDATE = 0x4000_0000;
  private static final int CONFIRMED = 0x8000_0000;
  private static final int KNOWN_FLAGS = UPDATE | 0x70103;

  /// The flags of CREATE_SESSION.
  private static final int CONN_BACK_CHAN = 2;

  private static final int KNOWN_SESSION_FLAGS = 7;

  private static final int MAX_STRING_BYTES = 1024;
  private static final int MAX_PARAMETERS = 8;
  private static final int AUTH_NONE = 0;
  private static final int AUTH_SYS = 1;
  private static final int RPCSEC_GSS = 6;

  private final Nfs4StateManager stateManager;
  private final Nfs4ReplayCache replayCache;
  private final Nfs4LeaseReaper watch;
  private final byte[] server;

  Nfs4ClientOperations(Nfs4StateManager stateManager, Nfs4ReplayCache replayCache, String server) {
    this.stateManager = stateManager;
    this.replayCache = replayCache;
    watch = new Nfs4LeaseReaper(stateManager);
    this.server = server.getBytes(StandardCharsets.UTF_8);
  }

  // ---- EXCHANGE_ID ------------------------------------------------------------------------------

  /// The arguments of EXCHANGE_ID that identify a client.
  private record Introduction(Opaque owner, long verifier, int uid, long host, boolean update) {}

  int exchangeId(Nfs4Compound c) throws NfsException, IOException {
    c.mayWait();
    long verifier = c.in.int64();
    Opaque owner = Opaque.read(c.in);
    int flags = c.in.int32();
    int protection = c.in.int32();
    skipProtection(c.in, protection);
    int implementations = c.in.length(1);
    if (implementations > 0) {
      c.in.skip(c.in.length(MAX_STRING_BYTES));
      c.in.skip(c.in.length(MAX_STRING_BYTES));
      c.in.int64();
      c.in.int32();
    }
    if ((flags & ~KNOWN_FLAGS) != 0 || protection == SP4_MACH_CRED) {
      return NfsStatus.INVAL;
    }
    if (protection == SP4_SSV) {
      return Nfs4Status.ENCR_ALG_UNSUPP;
    }
    stateManager.tend();
    int uid = c.call.credentials().uid();
    long host = Nfs4Client.host(c.call.client());
    Introduction introduced = new Introduction(owner, verifier, uid, host, (flags & UPDATE) != 0);
    Nfs4Client client = stateManager.change(() -> introduce(introduced));
    c.out.int64(client.id).int32(client.nextSequence());
    c.out.int32(USE_NON_PNFS | (client.confirmed ? CONFIRMED : 0)).int32(SP4_NONE);
    c.out.int64(0).opaque(server); // so_minor_id and so_major_id of server_owner4
    c.out.opaque(server); // eir_server_scope
    c.out.int32(0); // no eir_server_impl_id
    return NfsStatus.OK;
  }

  private static void skipProtection(XdrReader in, int protection) {
    switch (protection) {
      case SP4_NONE -> {}
      case SP4_MACH_CRED -> skipOperations(in);
      case SP4_SSV -> {
        skipOperations(in);
        skipAlgorithms(in);
        skipAlgorithms(in);
        in.int64(); // window and number of handles
      }
      default -> throw new XdrException("no state_protect_how4");
    }
  }

  private static void skipAlgorithms(XdrReader in) {
    for (int i = in.length(MAX_PARAMETERS); i > 0; i--) {
      in.skip(in.length(MAX_STRING_BYTES));
    }
  }

  private static void skipOperations(XdrReader in) {
    Bitmap.read(in);
    Bitmap.read(in);
  }

  /// Implements the cases of RFC 8881, section 18.35.4.
  private Nfs4Client introduce(Introduction introduced) throws NfsException {
    Nfs4Client known = stateManager.confirmed(introduced.owner);
    if (known != null && known.uid != introduced.uid && !introduced.update) {
      if (!stateManager.isExpired(known) && !known.states.isEmpty()) {
        throw new NfsException(Nfs4Status.CLID_INUSE);
      }
      stateManager.drop(known);
      known = null;
    }
    if (introduced.update) {
      return update(known, introduced);
    }
    if (known != null && known.verifier == introduced.verifier) {
      return known;
    }
    return stateManager.add(
        new Nfs4Client(
            stateManager.newId(),
            introduced.owner,
            introduced.verifier,
            introduced.uid,
            introduced.host));
  }

  private static Nfs4Client update(@Nullable Nfs4Client known, Introduction introduced)
      throws NfsException {
    if (known == null) {
      throw new NfsException(NfsStatus.NOENT);
    }
    if (known.verifier != introduced.verifier) {
      throw new NfsException(Nfs4Status.NOT_SAME);
    }
    if (known.uid != introduced.uid) {
      throw new NfsException(NfsStatus.PERM);
    }
    return known;
  }

  // ---- sessions ---------------------------------------------------------------------------------

  /// The arguments of CREATE_SESSION.
  private record Request(
      long client, int sequence, int flags, Nfs4Channel fore, Nfs4Channel back) {}

  int createSession(Nfs4Compound c) throws NfsException {
    c.mayWait();
    long id = c.in.int64();
    int sequence = c.in.int32();
    int flags = c.in.int32();
    Nfs4Channel fore = Nfs4Channel.read(c.in);
    Nfs4Channel back = Nfs4Channel.read(c.in);
    c.in.int32(); // the program number for callbacks, which this server does not make
    skipSecurity(c.in);
    if ((flags & ~KNOWN_SESSION_FLAGS) != 0) {
      return NfsStatus.INVAL;
    }
    Request request = new Request(id, sequence, flags, fore, back);
    int uid = c.call.credentials().uid();
    int sum = c.call.checksum();
    long connection = c.call.connectionNumber();
    byte[] results = stateManager.change(() -> answer(request, sum, uid, connection));
    c.out.fixed(results);
    return NfsStatus.OK;
  }

  /// Implements the phases of RFC 8881, section 18.36.4.
  private byte[] answer(Request request, int sum, int uid, long connection) throws NfsException {
    Nfs4Client client = stateManager.client(request.client);
    SessionAnswer last = client.answer;
    if (last != null && request.sequence == client.sequence) {
      if (last.answers(sum)) {
        return last.repeat();
      }
    } else if (request.sequence != client.nextSequence()) {
      throw new NfsException(Nfs4Status.SEQ_MISORDERED);
    }
    client.sequence = request.sequence;
    try {
      byte[] results = create(client, request, uid, connection);
      client.answer = new SessionAnswer(sum, NfsStatus.OK, results);
      return results;
    } catch (NfsException refused) {
      client.answer = new SessionAnswer(sum, refused.status(), new byte[0]);
      throw refused;
    }
  }

  private byte[] create(Nfs4Client client, Request request, int uid, long connection)
      throws NfsException {
    if (client.uid != uid) {
      throw new NfsException(Nfs4Status.CLID_INUSE);
    }
    if (!request.fore.isUsable() || !request.back.isUsable()) {
      throw new NfsException(NfsStatus.TOOSMALL);
    }
    stateManager.requireSession(client);
    Nfs4Session made = stateManager.sessions.add(client, request.fore, request.back);
    if (made == null) {
      throw new NfsException(NfsStatus.NOSPC);
    }
    made.bind(connection);
    stateManager.confirm(client);
    client.renewedNanos = stateManager.nanoClock.getAsLong();
    return results(made, request);
  }

  private static byte[] results(Nfs4Session made, Request request) {
    XdrWriter out = new XdrWriter(256);
    made.writeId(out);
    out.int32(request.sequence).int32(request.flags & CONN_BACK_CHAN);
    made.fore.write(out);
    made.back.write(out);
    return out.toBytes();
  }

  private static void skipSecurity(XdrReader in) {
    for (int i = in.length(MAX_PARAMETERS); i > 0; i--) {
      switch (in.int32()) {
        case AUTH_NONE -> {}
        case AUTH_SYS -> {
          in.int32();
          in.skip(in.length(255));
          in.int64(); // user and group
          in.skip(4 * in.length(16));
        }
        case RPCSEC_GSS -> {
          in.int32();
          in.skip(in.length(MAX_STRING_BYTES));
          in.skip(in.length(MAX_STRING_BYTES));
        }
        default -> throw new XdrException("no flavor of callbacks");
      }
    }
  }

  /// Destroys a session. The operation must be sent on a connection of the session and must be the
  /// last operation of its COMPOUND (RFC 8881, section 18.37.3).
  int destroySession(Nfs4Compound c) throws NfsException {
    long id = c.in.int64();
    long place = c.in.int64();
    c.mayWait();
    if (c.index + 1 < c.operations) {
      return Nfs4Status.NOT_ONLY_OP;
    }
    long connection = c.call.connectionNumber();
    return stateManager.change(() -> {
      Nfs4Session session = stateManager.sessions.find(id, place);
      if (session == null) {
        return Nfs4Status.BADSESSION;
      }
      if (!session.isBound(connection)) {
        return Nfs4Status.CONN_NOT_BOUND_TO_SESSION;
      }
      session.client.sessions.remove(session);
      stateManager.sessions.remove(session);
      return NfsStatus.OK;
    });
  }

  int destroyClientId(Nfs4Compound c) throws NfsException, IOException {
    long id = c.in.int64();
    c.mayWait();
    Nfs4Client client =
        stateManager.change(() -> {
          Nfs4Client found = stateManager.client(id);
          if (!found.isIdle()) {
            throw new NfsException(Nfs4Status.CLIENTID_BUSY);
          }
          stateManager.drop(found);
          return found;
        });
    if (client.confirmed) {
      stateManager.stable.forget(client.owner);
    }
    return NfsStatus.OK;
  }

  /// Binds a connection to a session. Any connection may be bound to any session, and one binding
  /// applies to both directions.
  int bindConnection(Nfs4Compound c) throws NfsException {
    long id = c.in.int64();
    long place = c.in.int64();
    int direction = c.in.int32();
    c.in.bool();
    if (c.operations > 1) {
      return Nfs4Status.NOT_ONLY_OP;
    }
    boolean known = direction == 1 || direction == 2 || direction == 3 || direction == 7;
    if (!known) {
      throw new XdrException("no direction of a channel");
    }
    Nfs4Session session = stateManager.sessions.find(id, place);
    if (session == null) {
      return Nfs4Status.BADSESSION;
    }
    session.bind(c.call.connectionNumber());
    session.writeId(c.out);
    c.out.int32(direction & 3).bool(false);
    return NfsStatus.OK;
  }

  int backchannelControl(Nfs4Compound c) {
    c.in.int32();
    skipSecurity(c.in);
    return NfsStatus.OK;
  }

  // ---- SEQUENCE ---------------------------------------------------------------------------------

  int sequence(Nfs4Compound c) throws NfsException {
    long id = c.in.int64();
    long place = c.in.int64();
    int sequence = c.in.int32();
    int slot = c.in.int32();
    int highest = c.in.int32();
    c.cacheThis = c.in.bool();
    if (c.index > 0) {
      return Nfs4Status.SEQUENCE_POS;
    }
    Nfs4Session session = stateManager.sessions.find(id, place);
    if (session == null) {
      boolean nothing = replayCache.isEmpty() || slot < 0 || slot >= Nfs4Channel.MAX_SLOTS;
      return nothing
          ? Nfs4Status.BADSESSION
          : replayCache.resume(c, c.key(id, place, slot, sequence));
    }
    if (Integer.compareUnsigned(slot, session.slots()) >= 0) {
      return Nfs4Status.BADSLOT;
    }
    if (Integer.compareUnsigned(highest, session.slots()) >= 0) {
      return Nfs4Status.BAD_HIGH_SLOT;
    }
    if (c.operations > session.fore.operations()) {
      return Nfs4Status.TOO_MANY_OPS;
    }
    if (c.requestBytes > session.fore.requestBytes()) {
      return Nfs4Status.REQ_TOO_BIG;
    }
    long now = stateManager.nanoClock.getAsLong();
    if (watch.due(now)) {
      c.mayWait(); // before the slot is taken
      session.client.renewedNanos = now;
      watch.look(now);
    }
    int status = begin(c, session.slot(slot), sequence);
    if (status != NfsStatus.OK) {
      return status;
    }
    session.bind(c.call.connectionNumber());
    c.session = session;
    c.slotIndex = slot;
    session.client.renewedNanos = now;
    session.writeId(c.out);
    int last = session.slots() - 1;
    c.out.int32(sequence).int32(slot).int32(last).int32(last).int32(0);
    return NfsStatus.OK;
  }

  private static int begin(Nfs4Compound c, Nfs4Slot slot, int sequence) {
    if (!slot.take()) {
      return Nfs4Status.DELAY;
    }
    if (slot.isNext(sequence)) {
      c.slot = slot;
      c.slotSequence = sequence;
      return NfsStatus.OK;
    }
    int status = NfsStatus.OK;
    if (!slot.isRetry(sequence)) {
      status = Nfs4Status.SEQ_MISORDERED;
    } else if (slot.reply() == null) {
      c.uncachedRetry = true;
    } else if (slot.isSame(c.call.checksum(), c.call.credentials().uid())) {
      c.replay = slot.reply();
    } else {
      status = Nfs4Status.SEQ_FALSE_RETRY;
    }
    slot.abandon();
    return status;
  }

  int reclaimComplete(Nfs4Compound c) throws NfsException, IOException {
    boolean oneFileSystem = c.in.bool();
    if (oneFileSystem) {
      c.file();
      return NfsStatus.OK;
    }
    c.mayWait();
    Nfs4Client client = c.client();
    if (client.complete) {
      return Nfs4Status.COMPLETE_ALREADY;
    }
    stateManager.stable.record(client.owner);
    client.complete = true;
    stateManager.grace.done(client.owner);
    stateManager.tend();
    return NfsStatus.OK;
  }
}
