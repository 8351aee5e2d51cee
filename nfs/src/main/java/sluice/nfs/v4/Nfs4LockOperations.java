package sluice.nfs.v4;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileAttributes;
import sluice.nfs.export.FileRef;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.v4.wire.LockRange;
import sluice.nfs.v4.wire.Nfs4Status;
import sluice.nfs.v4.wire.Opaque;

/// The operations LOCK, LOCKT and LOCKU, and the operations on stateids (RFC 8881, sections 18.10
/// to 18.12, 18.38, 18.48). These methods are called by workers, and [Nfs4Locks] implements the
/// rules for locks.
final class Nfs4LockOperations {
  private static final int MAX_TESTED = 256;

  private final Nfs4Services services;
  private final Nfs4Locks locks;

  Nfs4LockOperations(Nfs4Services services) {
    this.services = services;
    locks = new Nfs4Locks(services.stateManager());
  }

  int lock(Nfs4Compound c) throws NfsException, IOException {
    c.mayWait();
    int type = c.in.int32();
    boolean reclaim = c.in.bool();
    long offset = c.in.int64();
    long length = c.in.int64();
    boolean fresh = c.in.bool();
    if (fresh) {
      c.in.int32(); // open_seqid, unused since the session orders requests
    }
    StateId id = c.stateId();
    c.in.int32();
    Opaque owner = fresh ? owner(c.in) : null;
    LockRange range = LockRange.of(type, offset, length);
    FileRef file = file(c);
    requireGrace(c, reclaim);
    Nfs4Locks.Answer answer =
        locks.lock(new Nfs4Locks.Request(c.client(), id, owner, Nfs4Compound.key(file), range));
    StateId locked = answer.id();
    if (locked == null) {
      return denied(c, answer.against(), reclaim);
    }
    c.stateId = locked;
    locked.write(c.out);
    return NfsStatus.OK;
  }

  private static Opaque owner(XdrReader in) {
    in.int64(); // the client ID, unused since the session names the client
    return Opaque.read(in);
  }

  private static FileRef file(Nfs4Compound c) throws NfsException, IOException {
    FileRef file = c.file();
    FileAttributes a = c.attributes(file);
    if (a.isDirectory()) {
      throw new NfsException(NfsStatus.ISDIR);
    }
    Nfs4Compound.requireRegular(a);
    return file;
  }

  private void requireGrace(Nfs4Compound c, boolean reclaim) throws NfsException, IOException {
    Nfs4Grace grace = services.stateManager().grace;
    if (!reclaim) {
      if (grace.isActive()) {
        throw new NfsException(Nfs4Status.GRACE);
      }
      services.stateManager().tend();
    } else if (!grace.isActive() || c.client().complete) {
      throw new NfsException(Nfs4Status.NO_GRACE);
    } else if (!grace.knows(c.client().owner)) {
      throw new NfsException(Nfs4Status.RECLAIM_BAD);
    }
  }

  private static int denied(
      Nfs4Compound c, Nfs4Locks.@Nullable Conflict conflict, boolean reclaim) {
    if (conflict == null) {
      throw new IllegalStateException("neither granted nor denied");
    }
    if (reclaim) {
      return Nfs4Status.RECLAIM_CONFLICT;
    }
    c.out.int64(conflict.start()).int64(LockRange.length(conflict.start(), conflict.end()));
    c.out.int32(conflict.write() ? 2 : 1);
    c.out.int64(conflict.client()).opaque(conflict.owner().bytes());
    return Nfs4Status.DENIED;
  }

  int test(Nfs4Compound c) throws NfsException, IOException {
    c.mayWait();
    int type = c.in.int32();
    long offset = c.in.int64();
    long length = c.in.int64();
    Opaque owner = owner(c.in);
    LockRange range = LockRange.of(type, offset, length);
    FileRef file = file(c);
    requireGrace(c, false);
    Nfs4Locks.Conflict conflict = locks.test(c.client(), owner, Nfs4Compound.key(file), range);
    return conflict == null ? NfsStatus.OK : denied(c, conflict, false);
  }

  int unlock(Nfs4Compound c) throws NfsException {
    c.mayWait();
    int type = c.in.int32();
    c.in.int32();
    StateId id = c.stateId();
    long offset = c.in.int64();
    long length = c.in.int64();
    LockRange range = LockRange.of(type, offset, length);
    StateId unlocked = locks.unlock(c.client(), id, Nfs4Compound.key(c.file()), range);
    c.stateId = unlocked;
    unlocked.write(c.out);
    return NfsStatus.OK;
  }

  int freeStateId(Nfs4Compound c) throws NfsException {
    c.mayWait();
    locks.free(c.client(), c.stateId());
    return NfsStatus.OK;
  }

  int testStateIds(Nfs4Compound c) {
    int count = c.in.length(MAX_TESTED);
    c.out.int32(count);
    for (int i = 0; i < count; i++) {
      StateId id = c.stateId();
      int status = NfsStatus.OK;
      try {
        services.stateManager().states.find(c.client(), id);
      } catch (NfsException e) {
        status = e.status();
      }
      c.out.int32(status);
    }
    return NfsStatus.OK;
  }
}
