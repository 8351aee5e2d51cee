package sluice.nfs.v4;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;
import sluice.nfs.v4.wire.LockRange;
import sluice.nfs.v4.wire.Opaque;

/// A file that is open by clients. It is changed under the lock of [Nfs4StateManager], except that
/// any thread may read `denied`.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | denied | stateManager | volatile | volatile, under the lock |
/// | opens, locks | stateManager | under the lock | under the lock |
final class Nfs4File {
  /// The identity of a file.
  ///
  /// @param tree the tree of the file
  /// @param inode the inode number in that tree
  record Key(FileTree tree, long inode) {}

  final Key key;
  final List<Nfs4Open> opens = new ArrayList<>(1);
  final List<Nfs4Lock> locks = new ArrayList<>(0);

  /// The union of the share-deny bits of all opens.
  volatile int denied;

  Nfs4File(Key key) {
    this.key = key;
  }

  @Nullable Nfs4Open open(Nfs4Client client, Opaque owner) {
    for (Nfs4Open open : opens) {
      if (open.client == client && open.owner.equals(owner)) {
        return open;
      }
    }
    return null;
  }

  @Nullable Nfs4Lock lock(Nfs4Client client, Opaque owner) {
    for (Nfs4Lock lock : locks) {
      if (lock.client == client && lock.owner.equals(owner)) {
        return lock;
      }
    }
    return null;
  }

  /// Returns an open that conflicts with the given share access and share deny.
  ///
  /// @param own the existing open of the requesting owner, which never conflicts, or null if there
  ///   is none
  @Nullable Nfs4Open against(@Nullable Nfs4Open own, int access, int deny) {
    for (Nfs4Open open : opens) {
      if (open != own && ((open.deny & access) != 0 || (open.access & deny) != 0)) {
        return open;
      }
    }
    return null;
  }

  /// Returns the locks of another owner that conflict with the given range, or null if there are
  /// none.
  ///
  /// @param client the client of the request
  /// @param owner the lock owner of the request
  @Nullable Nfs4Lock against(Nfs4Client client, Opaque owner, LockRange range) {
    for (Nfs4Lock lock : locks) {
      boolean own = lock.client == client && lock.owner.equals(owner);
      if (!own && lock.ranges.conflict(range.start(), range.end(), range.write()) >= 0) {
        return lock;
      }
    }
    return null;
  }

  void sharesChanged() {
    int all = 0;
    for (Nfs4Open open : opens) {
      all |= open.deny;
    }
    denied = all;
  }
}
