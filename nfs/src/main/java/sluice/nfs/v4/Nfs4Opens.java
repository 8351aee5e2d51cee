package sluice.nfs.v4;

import org.jspecify.annotations.Nullable;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.v4.wire.Nfs4Status;
import sluice.nfs.v4.wire.Opaque;

/// Grants and releases opens (RFC 8881, sections 9.7 to 9.9). These methods are called by workers,
/// and the rules are applied under the lock of [Nfs4StateManager].
final class Nfs4Opens {
  private final Nfs4StateManager stateManager;

  Nfs4Opens(Nfs4StateManager stateManager) {
    this.stateManager = stateManager;
  }

  /// The arguments of an OPEN operation.
  ///
  /// @param access the share access as bits of [Nfs4Open], which must not be 0
  /// @param deny the share deny as bits of [Nfs4Open]
  record Request(Nfs4Client client, Opaque owner, Nfs4File.Key file, int access, int deny) {}

  /// Checks that no other open conflicts with the given request.
  ///
  /// @throws NfsException `SHARE_DENIED` if there is a conflict
  void check(Request request) throws NfsException {
    stateManager.change(() -> {
      Nfs4File file = stateManager.file(request.file());
      if (file != null) {
        requireShares(file, file.open(request.client(), request.owner()), request);
      }
      return true;
    });
  }

  /// Opens a file, or adds rights to an existing open of the same owner. The caller must have
  /// retained the file. If the open already exists, the file is released once.
  StateId open(Request request) throws NfsException {
    return stateManager.change(() -> grantOpen(request));
  }

  private StateId grantOpen(Request request) throws NfsException {
    Nfs4Client client = request.client();
    requireAlive(client);
    Nfs4File file = stateManager.file(request.file());
    Nfs4Open open = file == null ? null : file.open(client, request.owner());
    if (file != null) {
      requireShares(file, open, request);
    }
    if (open == null) {
      stateManager.requireRoom(client);
      Nfs4File opened = stateManager.fileToOpen(request.file());
      open = new Nfs4Open(client, opened, request.owner());
      opened.opens.add(open);
      stateManager.add(open);
    } else {
      open.changed();
      stateManager.releaseLater(request.file());
    }
    open.add(request.access(), request.deny());
    open.file.sharesChanged();
    return stateManager.states.idOf(open);
  }

  private void requireShares(Nfs4File file, @Nullable Nfs4Open own, Request request)
      throws NfsException {
    Nfs4Open against = file.against(own, request.access(), request.deny());
    while (against != null) {
      if (!stateManager.isExpired(against.client) || against.client == request.client()) {
        throw new NfsException(Nfs4Status.SHARE_DENIED);
      }
      stateManager.expire(against.client);
      against = file.against(own, request.access(), request.deny());
    }
  }

  /// Checks that the client has not been removed while its request was in progress.
  ///
  /// @throws NfsException `STALE_CLIENTID` if the client has been removed
  static void requireAlive(Nfs4Client client) throws NfsException {
    if (client.gone) {
      throw new NfsException(Nfs4Status.STALE_CLIENTID);
    }
  }

  /// Returns the open with the given stateid.
  ///
  /// @throws NfsException `BAD_STATEID` if the stateid does not refer to an open of this file
  private Nfs4Open find(Nfs4Client client, StateId id, Nfs4File.Key file) throws NfsException {
    if (stateManager.states.find(client, id) instanceof Nfs4Open open
        && open.file.key.equals(file)) {
      return open;
    }
    throw new NfsException(Nfs4Status.BAD_STATEID);
  }

  /// Reduces the rights of an open.
  ///
  /// @throws NfsException `INVAL` if the rights are not the union of some of the owner's earlier
  ///   opens
  StateId downgrade(Nfs4Client client, StateId id, Nfs4File.Key file, int shares)
      throws NfsException {
    return stateManager.change(() -> {
      Nfs4Open open = find(client, id, file);
      if (!open.downgrade(shares & Nfs4Open.BOTH, shares >> 2)) {
        throw new NfsException(NfsStatus.INVAL);
      }
      open.changed();
      open.file.sharesChanged();
      return stateManager.states.idOf(open);
    });
  }

  /// Closes an open and releases its remaining locks.
  void close(Nfs4Client client, StateId id, Nfs4File.Key file) throws NfsException {
    stateManager.change(() -> {
      stateManager.remove(find(client, id, file));
      return true;
    });
  }
}
