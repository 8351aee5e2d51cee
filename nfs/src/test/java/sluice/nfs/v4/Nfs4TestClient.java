package sluice.nfs.v4;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.nfs.rpc.RpcTestCalls;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;
import sluice.nfs.v4.wire.Bitmap;
import sluice.nfs.v4.wire.Nfs4Attribute;
import sluice.nfs.v4.wire.Nfs4Op;
import sluice.nfs.v4.wire.Nfs4Status;
import sluice.nfs.v4.wire.Opaque;

/// A small NFSv4.1 client: encodes COMPOUNDs according to RFC 5662 and reads the replies. Not
/// thread-safe.
public final class Nfs4TestClient {
  /// The number and arguments of one operation.
  public interface Op {
    void write(XdrWriter out);
  }

  /// The reply to a COMPOUND, positioned at the result of its first operation.
  static final class Reply {
    final int status;
    final int count;
    final boolean fast;
    final byte[] bytes;
    final XdrReader in;

    Reply(RpcTestCalls.Reply reply) {
      in = reply.results();
      fast = reply.fast();
      bytes = reply.bytes();
      status = in.int32();
      in.opaque(1024);
      count = in.int32();
    }

    /// Reads the number and the status of the next result.
    int next(int op) {
      int number = in.int32();
      if (number != op) {
        throw new AssertionError("a result of operation " + number + " instead of " + op);
      }
      return in.int32();
    }

    /// Reads the next result, which must be a success.
    XdrReader ok(int op) {
      int status = next(op);
      if (status != 0) {
        throw new AssertionError("operation " + op + " was refused: " + status);
      }
      return in;
    }

    Reply sequence() {
      ok(Nfs4Op.SEQUENCE).skip(36);
      return this;
    }

    /// Skips results that consist only of a status.
    Reply plain(int... ops) {
      for (int op : ops) {
        ok(op);
      }
      return this;
    }
  }

  final RpcTestCalls calls;
  final Opaque owner;
  public long verifier = 7;
  long id;
  int nextSession;
  long sessionId;
  long sessionPlace;
  public int[] sequences = new int[64];
  public boolean cache = true;
  int slots = 16;

  public Nfs4TestClient(RpcTestCalls calls, String owner) {
    this.calls = calls;
    this.owner = new Opaque(bytes(owner));
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  // ---- sessions ---------------------------------------------------------------------------------

  /// Sends a COMPOUND.
  Reply compound(int minor, int count, Op... ops) {
    return new Reply(
        calls.call(
            100_003,
            4,
            1,
            to -> {
              to.opaque(bytes("tag")).int32(minor).int32(count);
              for (Op op : ops) {
                op.write(to);
              }
            }));
  }

  Reply bare(Op... ops) {
    return compound(1, ops.length, ops);
  }

  Op exchangeId(int flags) {
    return to ->
        to.int32(Nfs4Op.EXCHANGE_ID)
            .int64(verifier)
            .opaque(owner.bytes())
            .int32(flags)
            .int32(0)
            .int32(0);
  }

  Op createSession() {
    return to -> {
      to.int32(Nfs4Op.CREATE_SESSION).int64(id).int32(nextSession).int32(2);
      to.int32(0).int32(1 << 21).int32(1 << 21).int32(1 << 13).int32(32).int32(slots).int32(0);
      to.int32(0).int32(4096).int32(4096).int32(0).int32(2).int32(1).int32(0);
      to.int32(0x4000_0000).int32(1).int32(0);
    };
  }

  /// Announces the client and creates a session.
  public void connect() {
    XdrReader in = bare(exchangeId(0)).ok(Nfs4Op.EXCHANGE_ID);
    id = in.int64();
    nextSession = in.int32();
    XdrReader session = bare(createSession()).ok(Nfs4Op.CREATE_SESSION);
    sessionId = session.int64();
    sessionPlace = session.int64();
    nextSession++;
    Arrays.fill(sequences, 0);
  }

  public Op sequence(int slot, int sequence) {
    return to ->
        to.int32(Nfs4Op.SEQUENCE)
            .int64(sessionId)
            .int64(sessionPlace)
            .int32(sequence)
            .int32(slot)
            .int32(slots - 1)
            .bool(cache);
  }

  /// Sends operations after a SEQUENCE and returns any reply.
  Reply tryOn(int slot, Op... ops) {
    sequences[slot]++;
    return repeat(slot, ops);
  }

  /// Sends the same request again.
  Reply repeat(int slot, Op... ops) {
    Op[] all = new Op[ops.length + 1];
    all[0] = sequence(slot, sequences[slot]);
    System.arraycopy(ops, 0, all, 1, ops.length);
    return bare(all);
  }

  Reply run(Op... ops) {
    return tryOn(0, ops).sequence();
  }

  int status(Op... ops) {
    return tryOn(0, ops).status;
  }

  public void reclaimComplete() {
    run(to -> to.int32(Nfs4Op.RECLAIM_COMPLETE).bool(false)).ok(Nfs4Op.RECLAIM_COMPLETE);
  }

  // ---- operations -------------------------------------------------------------------------------

  public static Op plain(int op) {
    return to -> to.int32(op);
  }

  /// Returns true if a COMPOUND was refused because of its session, or was not accepted.
  public static boolean isSessionGone(RpcTestCalls.Reply reply) {
    return reply.status() != 0 || reply.results().int32() == Nfs4Status.BADSESSION;
  }

  /// Writes the anonymous stateid.
  public static void anonymous(XdrWriter out) {
    StateId.ANONYMOUS.write(out);
  }

  public static Op putFh(byte[] handle) {
    return to -> to.int32(Nfs4Op.PUTFH).opaque(handle);
  }

  public static Op named(int op, String name) {
    return to -> to.int32(op).opaque(bytes(name));
  }

  static Op lookup(String name) {
    return named(Nfs4Op.LOOKUP, name);
  }

  public static Op getAttr(int... numbers) {
    return to -> {
      to.int32(Nfs4Op.GETATTR);
      Bitmap.of(numbers).write(to);
    };
  }

  public static Op setMode(int mode) {
    return to -> {
      to.int32(Nfs4Op.SETATTR);
      StateId.ANONYMOUS.write(to);
      Bitmap.of(Nfs4Attribute.MODE).write(to);
      to.int32(4).int32(mode);
    };
  }

  static Op setSize(StateId id, long size) {
    return to -> {
      to.int32(Nfs4Op.SETATTR);
      id.write(to);
      Bitmap.of(Nfs4Attribute.SIZE).write(to);
      to.int32(8).int64(size);
    };
  }

  public static Op mkdir(String name, int mode) {
    return to -> {
      to.int32(Nfs4Op.CREATE).int32(2).opaque(bytes(name));
      Bitmap.of(Nfs4Attribute.MODE).write(to);
      to.int32(4).int32(mode);
    };
  }

  /// The kind of creation in OPEN.
  interface How {
    void write(XdrWriter out);
  }

  public static How unchecked(int mode) {
    return to -> {
      to.int32(1).int32(0);
      Bitmap.of(Nfs4Attribute.MODE).write(to);
      to.int32(4).int32(mode);
    };
  }

  static How truncating() {
    return to -> {
      to.int32(1).int32(0);
      Bitmap.of(Nfs4Attribute.SIZE).write(to);
      to.int32(8).int64(0);
    };
  }

  static How guarded(int mode) {
    return to -> {
      to.int32(1).int32(1);
      Bitmap.of(Nfs4Attribute.MODE).write(to);
      to.int32(4).int32(mode);
    };
  }

  static How exclusive(long verifier, int mode) {
    return to -> {
      to.int32(1).int32(3).int64(verifier);
      Bitmap.of(Nfs4Attribute.MODE).write(to);
      to.int32(4).int32(mode);
    };
  }

  static How existing() {
    return to -> to.int32(0);
  }

  /// Returns an OPEN operation.
  ///
  /// @param name the name; null for the current file
  public static Op open(String owner, int access, int deny, How how, @Nullable String name) {
    return to -> {
      to.int32(Nfs4Op.OPEN).int32(0).int32(access).int32(deny);
      to.int64(0).opaque(bytes(owner));
      how.write(to);
      if (name == null) {
        to.int32(4);
      } else {
        to.int32(0).opaque(bytes(name));
      }
    };
  }

  /// Returns an OPEN that reclaims an open from before a restart.
  static Op reclaim(String owner, int access, int deny) {
    return to -> {
      to.int32(Nfs4Op.OPEN).int32(0).int32(access).int32(deny);
      to.int64(0).opaque(bytes(owner));
      to.int32(0).int32(1).int32(0);
    };
  }

  static Op withId(int op, StateId id) {
    return to -> {
      to.int32(op);
      id.write(to);
    };
  }

  public static Op close(StateId id) {
    return to -> {
      to.int32(Nfs4Op.CLOSE).int32(0);
      id.write(to);
    };
  }

  static Op downgrade(StateId id, int access, int deny) {
    return to -> {
      to.int32(Nfs4Op.OPEN_DOWNGRADE);
      id.write(to);
      to.int32(0).int32(access).int32(deny);
    };
  }

  static Op read(StateId id, long offset, int count) {
    return to -> {
      to.int32(Nfs4Op.READ);
      id.write(to);
      to.int64(offset).int32(count);
    };
  }

  public static Op write(StateId id, long offset, int stable, byte[] content) {
    return to -> {
      to.int32(Nfs4Op.WRITE);
      id.write(to);
      to.int64(offset).int32(stable).opaque(content);
    };
  }

  static Op lockByOpen(
      int type, boolean reclaim, long offset, long length, StateId open, String by) {
    return to -> {
      to.int32(Nfs4Op.LOCK).int32(type).bool(reclaim).int64(offset).int64(length);
      to.bool(true).int32(0);
      open.write(to);
      to.int32(0).int64(0).opaque(bytes(by));
    };
  }

  static Op lock(int type, long offset, long length, StateId locks) {
    return to -> {
      to.int32(Nfs4Op.LOCK).int32(type).bool(false).int64(offset).int64(length).bool(false);
      locks.write(to);
      to.int32(0);
    };
  }

  static Op testLock(int type, long offset, long length, String by) {
    return to ->
        to.int32(Nfs4Op.LOCKT).int32(type).int64(offset).int64(length).int64(0).opaque(bytes(by));
  }

  static Op unlock(StateId locks, long offset, long length) {
    return to -> {
      to.int32(Nfs4Op.LOCKU).int32(1).int32(0);
      locks.write(to);
      to.int64(offset).int64(length);
    };
  }

  public static Op readDir(long cookie, int most, int... numbers) {
    return to -> {
      to.int32(Nfs4Op.READDIR).int64(cookie).int64(0).int32(most).int32(most);
      Bitmap.of(numbers).write(to);
    };
  }

  // ---- several operations -----------------------------------------------------------------------

  /// Returns the handle of a path from the root of the name space.
  public byte[] handle(String... path) {
    Op[] ops = new Op[path.length + 2];
    ops[0] = plain(Nfs4Op.PUTROOTFH);
    for (int i = 0; i < path.length; i++) {
      ops[i + 1] = lookup(path[i]);
    }
    ops[path.length + 1] = plain(Nfs4Op.GETFH);
    Reply reply = run(ops).plain(Nfs4Op.PUTROOTFH);
    for (int i = 0; i < path.length; i++) {
      reply.ok(Nfs4Op.LOOKUP);
    }
    return reply.ok(Nfs4Op.GETFH).opaque(128);
  }

  /// The result of OPEN.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Opened(StateId id, byte[] handle) {}

  public Opened open(byte[] directory, Op open) {
    Reply reply = run(putFh(directory), open, plain(Nfs4Op.GETFH)).plain(Nfs4Op.PUTFH);
    XdrReader in = reply.ok(Nfs4Op.OPEN);
    StateId id = StateId.read(in);
    in.skip(20);
    in.int32();
    Bitmap.read(in);
    int delegation = in.int32();
    if (delegation == 3 && in.int32() == 2) {
      in.bool();
    }
    return new Opened(id, reply.ok(Nfs4Op.GETFH).opaque(128));
  }

  /// Returns the stateid in the result of an operation on a file.
  StateId stateId(byte[] file, int number, Op op) {
    return StateId.read(run(putFh(file), op).plain(Nfs4Op.PUTFH).ok(number));
  }

  int statusOn(byte[] file, Op... ops) {
    Op[] all = new Op[ops.length + 1];
    all[0] = putFh(file);
    System.arraycopy(ops, 0, all, 1, ops.length);
    return status(all);
  }

  byte[] content(byte[] file, StateId id, long offset, int count) {
    XdrReader in = run(putFh(file), read(id, offset, count)).plain(Nfs4Op.PUTFH).ok(Nfs4Op.READ);
    in.bool();
    return in.opaque(1 << 20);
  }
}
