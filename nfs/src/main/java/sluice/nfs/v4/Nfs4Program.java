package sluice.nfs.v4;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.nfs.export.Export;
import sluice.nfs.export.Exports;
import sluice.nfs.export.FileHandles;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.RpcCall;
import sluice.nfs.rpc.RpcProgram;
import sluice.nfs.rpc.RpcRefusal;
import sluice.nfs.rpc.XdrException;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;
import sluice.nfs.v4.wire.Nfs4Channel;
import sluice.nfs.v4.wire.Nfs4Op;
import sluice.nfs.v4.wire.Nfs4Status;

/// The program NFSv4.1 (RFC 8881), which is program 100003, version 4. Its only procedure is
/// COMPOUND, which contains a sequence of operations. It is called concurrently by several loops
/// and workers, and the state is managed by [Nfs4StateManager].
///
/// Each COMPOUND is first executed on the loop's thread. SEQUENCE acquires the slot. If a
/// subsequent operation would have to wait, the slot is restored and a worker executes the COMPOUND
/// from the beginning. Operations that change something are always executed by a worker.
public final class Nfs4Program implements RpcProgram {
  private static final int PROGRAM = 100_003;
  private static final int VERSION = 4;
  private static final int COMPOUND = 1;
  private static final int MINOR_VERSION = 1;
  private static final int MAX_TAG_BYTES = 1024;
  private static final int MAX_HANDLE_BYTES = 128;

  /// The length of the arguments of SEQUENCE.
  private static final int SEQUENCE_BYTES = 32;

  private static final int CALL_HEADER_BYTES = 40;
  private static final byte[] NO_TAG = new byte[0];

  /// The minimum space that must remain in the reply before a non-idempotent operation is started.
  private static final int ONCE_BYTES = 256;

  /// The COMPOUND of a loop's thread, which processes one COMPOUND at a time.
  private static final ThreadLocal<@Nullable Nfs4Compound> OF_LOOP = new ThreadLocal<>();

  private final Nfs4Operations operations;

  /// Creates the program. The names of clients that hold state are stored in the first writable
  /// tree.
  ///
  /// @param exports the file trees to serve
  /// @param handles the file handles of these exports
  /// @param writeVerifier a number that changes whenever the server is restarted
  /// @throws IOException if the record of clients cannot be read or created
  public Nfs4Program(Exports exports, FileHandles handles, long writeVerifier) throws IOException {
    this(exports, handles, writeVerifier, stable(exports), Nfs4Limits.defaults(), System::nanoTime);
  }

  private static StableClients stable(Exports exports) throws IOException {
    for (Export export : exports.list()) {
      if (!export.exported().readOnly()) {
        return new StableClientsFile(export.exported());
      }
    }
    return StableClients.NONE;
  }

  /// Creates the program with the given limits.
  ///
  /// @param stable the record of clients that hold state
  Nfs4Program(
      Exports exports,
      FileHandles handles,
      long writeVerifier,
      StableClients stable,
      Nfs4Limits limits,
      LongSupplier nanoClock)
      throws IOException {
    PseudoRoot pseudo = new PseudoRoot(exports);
    Nfs4Attributes attributes = new Nfs4Attributes(pseudo, limits.leaseSeconds());
    Nfs4StateManager stateManager = new Nfs4StateManager(instance(), limits, stable, nanoClock);
    Nfs4ReplayCache replayCache = new Nfs4ReplayCache(exports, handles);
    operations =
        new Nfs4Operations(
            new Nfs4Services(
                handles, pseudo, attributes, stateManager, replayCache, writeVerifier));
  }

  /// Returns a random number that identifies the current run of the server.
  private static int instance() {
    SecureRandom random = new SecureRandom();
    int made = 0;
    while (made == 0 || made == -1) {
      made = random.nextInt();
    }
    return made;
  }

  @Override
  public int number() {
    return PROGRAM;
  }

  @Override
  public int lowestVersion() {
    return VERSION;
  }

  @Override
  public boolean tryCall(RpcCall call, XdrReader arguments, XdrWriter results) {
    Nfs4Compound known = OF_LOOP.get();
    if (known == null) {
      known = new Nfs4Compound(call, arguments, results, true);
      OF_LOOP.set(known);
    }
    try {
      return run(known.again(call, arguments, results));
    } catch (IOException e) {
      return false; // a worker reports the error to the client
    }
  }

  /// Returns the number of bytes that are requested by a COMPOUND of SEQUENCE, PUTFH and READ, or 0
  /// for any other COMPOUND.
  @Override
  public int leases(RpcCall call, XdrReader arguments) {
    if (call.procedure() != COMPOUND) {
      return 0;
    }
    arguments.skip(arguments.length(MAX_TAG_BYTES));
    arguments.skip(2 * Integer.BYTES); // minor version, number of operations
    if (arguments.int32() != Nfs4Op.SEQUENCE) {
      return 0;
    }
    arguments.skip(SEQUENCE_BYTES);
    if (arguments.int32() != Nfs4Op.PUTFH) {
      return 0;
    }
    arguments.skip(arguments.length(MAX_HANDLE_BYTES));
    if (arguments.int32() != Nfs4Op.READ) {
      return 0;
    }
    arguments.skip(16 + Long.BYTES); // stateid, offset
    return (int) Math.min(arguments.uint32(), Nfs4Channel.MAX_CONTENT_BYTES);
  }

  @Override
  public void call(RpcCall call, XdrReader arguments, XdrWriter results) throws IOException {
    if (!run(new Nfs4Compound(call, arguments, results, false))) {
      throw new IllegalStateException("a worker may wait");
    }
  }

  /// Executes a COMPOUND.
  ///
  /// @return false if it would have to wait on a loop's thread, in which case nothing has been
  ///   changed
  private boolean run(Nfs4Compound c) throws IOException {
    if (c.call.procedure() != COMPOUND || c.call.datagram()) { // RFC 8881, section 2.9.1
      throw new RpcRefusal(RpcRefusal.PROCEDURE_UNAVAILABLE);
    }
    c.requestBytes = c.in.remaining() + CALL_HEADER_BYTES;
    c.argumentsAt = c.in.position();
    int tagBytes = c.in.length(MAX_TAG_BYTES);
    byte[] tag = tagBytes == 0 ? NO_TAG : c.in.fixed(tagBytes);
    int minor = c.in.int32();
    c.operations = c.in.int32();
    c.statusAt = c.out.position();
    c.out.int32(NfsStatus.OK).opaque(tag);
    c.countAt = c.out.position();
    c.out.int32(0);
    if (minor != MINOR_VERSION) {
      c.out.patch(c.statusAt, Nfs4Status.MINOR_VERS_MISMATCH);
      return true;
    }
    if (c.operations < 0) {
      throw new XdrException("so many operations do not fit");
    }
    boolean done = false;
    boolean later = false;
    try {
      done = runAll(c);
      if (done && c.hasChanged()) {
        endWhenStable(c);
        later = true;
      }
    } finally {
      if (!later) {
        end(c, done);
      }
    }
    return done;
  }

  private boolean runAll(Nfs4Compound c) {
    int status = NfsStatus.OK;
    while (c.index < c.operations && status == NfsStatus.OK) {
      status = runOne(c);
      if (status == Nfs4Compound.WOULD_BLOCK) {
        return false;
      }
      c.index++;
      byte[] replay = c.replay;
      if (replay != null) {
        c.out.truncate(c.statusAt);
        c.out.fixed(replay);
        return true;
      }
      c.out.patch(c.countAt, c.index);
      c.out.patch(c.statusAt, status);
    }
    return true;
  }

  /// Releases the slot. If the COMPOUND could not be completed on the loop's thread, the slot is
  /// restored.
  private static void end(Nfs4Compound c, boolean done) {
    Nfs4Slot slot = c.slot;
    if (slot != null && c.now && !done) {
      slot.abandon();
    } else {
      end(c, done && c.cacheThis, done && c.cacheThis ? c.call.checksum() : 0);
    }
  }

  /// Releases the slot, and caches the reply if requested.
  private static void end(Nfs4Compound c, boolean keeps, int checksum) {
    Nfs4Slot slot = c.slot;
    if (slot != null && keeps) {
      byte[] answer = c.out.bytesFrom(c.statusAt);
      slot.done(c.slotSequence, answer, checksum, c.call.credentials().uid());
    } else if (slot != null) {
      slot.done(c.slotSequence);
    }
  }

  /// Sends the reply when all changes are stable. The slot remains acquired until then, so that the
  /// reply to a retry does not report a change that could be lost in a crash.
  private static void endWhenStable(Nfs4Compound c) {
    int checksum = c.cacheThis ? c.call.checksum() : 0; // the request is not readable later
    c.answerWhenStable(failure -> {
      if (failure != null) {
        c.neverStable(failure);
      }
      end(c, c.cacheThis, checksum);
    });
  }

  /// Executes the next operation and writes its result.
  ///
  /// @return the status, or [Nfs4Compound#WOULD_BLOCK] if the operation would have to wait
  private int runOne(Nfs4Compound c) {
    int op = c.in.remaining() < Integer.BYTES ? Nfs4Op.ILLEGAL : c.in.int32();
    int argumentsAt = c.in.position();
    c.out.int32(Nfs4Op.exists(op) ? op : Nfs4Op.ILLEGAL);
    c.op = op;
    c.opStatusAt = c.out.position();
    c.out.int32(NfsStatus.OK);
    int status;
    try {
      status = allowed(c, op);
      if (status == NfsStatus.OK) {
        status = operations.run(c, op);
      }
    } catch (NfsException e) {
      status = e.status();
    } catch (FsException e) {
      status = NfsStatus.of(e);
    } catch (IOException e) {
      status = NfsStatus.IO;
    } catch (XdrException e) {
      status = Nfs4Status.BADXDR;
    } catch (RpcRefusal e) {
      boolean full = e.status() == RpcRefusal.SYSTEM_ERROR;
      status = full ? Nfs4Status.REP_TOO_BIG : Nfs4Status.BADXDR;
    }
    if (status == NfsStatus.OK && c.replay == null && c.room() < 0 && !Nfs4Op.isOnce(op)) {
      status = tooBig(c);
    }
    if (status == Nfs4Compound.WOULD_BLOCK) {
      if (c.fitsGroupCommit(argumentsAt)) {
        c.call.forGroupCommit();
      }
      return status;
    }
    boolean denied = status == Nfs4Status.DENIED && (op == Nfs4Op.LOCK || op == Nfs4Op.LOCKT);
    if (status != NfsStatus.OK && !denied) {
      c.failed(status);
    } else {
      c.out.patch(c.opStatusAt, status);
    }
    return status;
  }

  /// Returns the status for a reply that exceeds a limit. `REP_TOO_BIG_TO_CACHE` causes the client
  /// to repeat the request without caching, so it is used only if the uncached reply could be sent.
  private static int tooBig(Nfs4Compound c) {
    boolean sendable = c.session != null && c.out.position() <= c.session.fore.responseBytes();
    return c.cacheThis && sendable ? Nfs4Status.REP_TOO_BIG_TO_CACHE : Nfs4Status.REP_TOO_BIG;
  }

  /// Checks that an operation is allowed at its position in the COMPOUND (RFC 8881, sections 2.10.2
  /// and 16.2.3).
  private static int allowed(Nfs4Compound c, int op) {
    if (!Nfs4Op.exists(op)) {
      return Nfs4Status.OP_ILLEGAL;
    }
    if (c.index == 0) {
      if (op == Nfs4Op.SEQUENCE) {
        return NfsStatus.OK;
      }
      if (!Nfs4Op.needsNoSession(op)) {
        return Nfs4Status.OP_NOT_IN_SESSION;
      }
      return c.operations == 1 ? NfsStatus.OK : Nfs4Status.NOT_ONLY_OP;
    }
    if (c.uncachedRetry) {
      return Nfs4Status.RETRY_UNCACHED_REP;
    }
    if (c.resumed && !Nfs4Op.looks(op)) {
      return Nfs4Status.DEADSESSION; // section 15.1.11.5
    }
    return Nfs4Op.isOnce(op) && c.room() < ONCE_BYTES ? tooBig(c) : NfsStatus.OK;
  }
}
