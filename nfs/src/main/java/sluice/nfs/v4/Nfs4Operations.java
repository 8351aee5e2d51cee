package sluice.nfs.v4;

import java.io.IOException;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.v4.wire.Nfs4Op;
import sluice.nfs.v4.wire.Nfs4Status;

/// Dispatches operations by their number. Instances are immutable and are used by loops and
/// workers.
final class Nfs4Operations {
  private final Nfs4ClientOperations clients;
  private final Nfs4FileOperations files;
  private final Nfs4NameOperations names;
  private final Nfs4Listing listing;
  private final Nfs4OpenOperations opens;
  private final Nfs4LockOperations locks;

  Nfs4Operations(Nfs4Services services) {
    clients = new Nfs4ClientOperations(services.stateManager(), services.replayCache(), "sluice");
    files = new Nfs4FileOperations(services);
    names = new Nfs4NameOperations(services);
    listing = new Nfs4Listing(services);
    opens = new Nfs4OpenOperations(services, names);
    locks = new Nfs4LockOperations(services);
  }

  /// Executes an operation, which reads its arguments and writes its results.
  ///
  /// @return the status, or [Nfs4Compound#WOULD_BLOCK] if the operation would have to wait
  int run(Nfs4Compound c, int op) throws NfsException, IOException {
    return switch (op) {
      case Nfs4Op.SEQUENCE -> clients.sequence(c);
      case Nfs4Op.PUTFH -> files.putFh(c);
      case Nfs4Op.GETATTR -> files.getAttr(c);
      case Nfs4Op.READ -> files.read(c);
      case Nfs4Op.WRITE -> files.write(c);
      case Nfs4Op.ACCESS -> files.access(c);
      case Nfs4Op.LOOKUP -> names.lookup(c);
      case Nfs4Op.GETFH -> files.getFh(c);
      case Nfs4Op.OPEN -> opens.open(c);
      case Nfs4Op.CLOSE -> opens.close(c);
      case Nfs4Op.OPEN_DOWNGRADE -> opens.downgrade(c);
      default -> op >= Nfs4Op.BACKCHANNEL_CTL ? runOfClient(c, op) : runOfFile(c, op);
    };
  }

  private int runOfFile(Nfs4Compound c, int op) throws NfsException, IOException {
    return switch (op) {
      case Nfs4Op.COMMIT -> files.commit(c);
      case Nfs4Op.CREATE -> names.create(c);
      case Nfs4Op.DELEGRETURN -> Nfs4Status.BAD_STATEID; // the server grants no delegations
      case Nfs4Op.LINK -> names.link(c);
      case Nfs4Op.LOCK -> locks.lock(c);
      case Nfs4Op.LOCKT -> locks.test(c);
      case Nfs4Op.LOCKU -> locks.unlock(c);
      case Nfs4Op.LOOKUPP -> names.lookupParent(c);
      case Nfs4Op.NVERIFY -> files.verify(c, Nfs4Status.SAME, NfsStatus.OK);
      case Nfs4Op.PUTPUBFH, Nfs4Op.PUTROOTFH -> files.putRootFh(c);
      case Nfs4Op.READDIR -> listing.readDir(c);
      case Nfs4Op.READLINK -> files.readLink(c);
      case Nfs4Op.REMOVE -> names.remove(c);
      case Nfs4Op.RENAME -> names.rename(c);
      case Nfs4Op.RESTOREFH -> files.restoreFh(c);
      case Nfs4Op.SAVEFH -> files.saveFh(c);
      case Nfs4Op.SECINFO -> names.secInfo(c);
      case Nfs4Op.SETATTR -> files.setAttr(c);
      case Nfs4Op.VERIFY -> files.verify(c, NfsStatus.OK, Nfs4Status.NOT_SAME);
      default -> NfsStatus.NOTSUPP;
    };
  }

  private int runOfClient(Nfs4Compound c, int op) throws NfsException, IOException {
    return switch (op) {
      case Nfs4Op.BACKCHANNEL_CTL -> clients.backchannelControl(c);
      case Nfs4Op.BIND_CONN_TO_SESSION -> clients.bindConnection(c);
      case Nfs4Op.EXCHANGE_ID -> clients.exchangeId(c);
      case Nfs4Op.CREATE_SESSION -> clients.createSession(c);
      case Nfs4Op.DESTROY_SESSION -> clients.destroySession(c);
      case Nfs4Op.DESTROY_CLIENTID -> clients.destroyClientId(c);
      case Nfs4Op.FREE_STATEID -> locks.freeStateId(c);
      case Nfs4Op.LAYOUTGET -> Nfs4Status.LAYOUTUNAVAILABLE;
      case Nfs4Op.RECLAIM_COMPLETE -> clients.reclaimComplete(c);
      case Nfs4Op.SECINFO_NO_NAME -> names.secInfoNoName(c);
      case Nfs4Op.TEST_STATEID -> locks.testStateIds(c);
      default -> NfsStatus.NOTSUPP;
    };
  }
}
