package sluice.fs.fuse;

import java.io.IOException;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileTree;
import sluice.fs.FsException;

/// The node numbers of the kernel, and the inodes that are known to the kernel. This class is
/// thread-safe.
///
/// The kernel counts how often an inode was reported to it, and notifies the server when it forgets
/// the inode. Until then it may refer to the inode even if the inode has lost its last name, for
/// example because a file is open or a directory is in use as working directory. The tree must
/// retain these files. Other files need not be retained because an inode that has a name can be
/// looked up again at any time. Therefore the tree retains a file only when it loses its last name,
/// and the number of inodes in memory remains bounded regardless of the size of the kernel's cache.
///
/// The node number is equal to the inode number, except that the root always has the node number 1,
/// and that inode 1 has the number of the root.
final class FuseNodes {
  private static final int SHARDS = 64;

  private final FileTree tree;
  private final long root;
  private final boolean retainsAll;
  private final FuseLookups[] shards = new FuseLookups[SHARDS];

  /// True if the root has lost a name. Guarded by the root's shard.
  private boolean rootLostNames;

  /// Creates an empty table.
  ///
  /// @param retainsAll true if names can also be removed without the kernel's involvement, in which
  ///   case the tree retains each file that is known to the kernel
  FuseNodes(FileTree tree, boolean retainsAll) {
    this.tree = tree;
    this.retainsAll = retainsAll;
    root = tree.rootInode();
    for (int i = 0; i < SHARDS; i++) {
      shards[i] = new FuseLookups();
    }
  }

  /// Returns the node number of an inode, or the inode of a node number.
  long swap(long number) {
    if (number == root) {
      return FuseOpcode.ROOT_ID;
    }
    return number == FuseOpcode.ROOT_ID ? root : number;
  }

  private FuseLookups shard(long inode) {
    return shards[(int) (inode ^ inode >>> 6) & (SHARDS - 1)];
  }

  /// Counts a lookup. Must be called before an inode is reported to the kernel.
  ///
  /// @throws FsException `ESTALE` if the inode no longer exists, in which case it must not be
  ///   reported
  void told(long inode) throws IOException {
    FuseLookups shard = shard(inode);
    if (retainsAll) {
      tree.retain(inode);
    }
    boolean surplus;
    synchronized (shard) {
      shard.add(inode);
      surplus = retainsAll && !shard.hold(inode);
    }
    if (surplus) {
      tree.release(inode); // it was retained already
    }
  }

  /// Decrements the lookup count of an inode that the kernel has forgotten.
  ///
  /// @return true if the caller must release the inode in the tree
  boolean forget(long inode, long count) {
    FuseLookups shard = shard(inode);
    synchronized (shard) {
      return inode != 0 && shard.forget(inode, count);
    }
  }

  /// A change that may remove the last name of a file.
  @FunctionalInterface
  interface Removal {
    void run() throws IOException;
  }

  /// Removes a name. The file continues to exist while it is known to the kernel. The kernel
  /// changes a directory by only one request at a time, so the name refers to the same file during
  /// the entire call. A file handle may make the file known to the kernel at any time. Therefore
  /// the file is retained until it has been determined, after the removal, whether the kernel knows
  /// it.
  void removing(long directory, byte[] name, Removal removal) throws IOException {
    long inode = find(directory, name);
    if (inode == 0 || !mayEnd(inode)) {
      removal.run();
      return;
    }
    tree.retain(inode);
    boolean kept = false;
    try {
      removal.run();
      kept = tree.attributes(inode).links() == 0 && hold(inode);
    } finally {
      if (!kept) {
        tree.release(inode);
      }
    }
  }

  private long find(long directory, byte[] name) throws IOException {
    try {
      long now = tree.tryLookup(Caller.ROOT, directory, name);
      return now == FileTree.WOULD_BLOCK ? tree.lookup(Caller.ROOT, directory, name) : now;
    } catch (FsException e) {
      return 0; // the removal reports the error
    }
  }

  private boolean mayEnd(long inode) throws IOException {
    FileAttributes a = tree.attributes(inode);
    return a.isDirectory() || a.links() <= 1;
  }

  private boolean hold(long inode) {
    FuseLookups shard = shard(inode);
    synchronized (shard) {
      return shard.hold(inode);
    }
  }

  /// Records that a directory has lost a name.
  ///
  /// @return true if this is the first name that it has lost since it became known to the kernel
  boolean loseName(long directory) {
    FuseLookups shard = shard(directory);
    synchronized (shard) {
      if (directory != root) {
        return shard.loseName(directory);
      }
      boolean first = !rootLostNames; // the kernel knows the root without a lookup
      rootLostNames = true;
      return first;
    }
  }

  /// Returns true if a directory has lost a name since it became known to the kernel.
  boolean hasLostNames(long directory) {
    FuseLookups shard = shard(directory);
    synchronized (shard) {
      return directory == root ? rootLostNames : shard.hasLostNames(directory);
    }
  }

  /// Returns the number of inodes that are known to the kernel.
  int size() {
    int size = 0;
    for (FuseLookups shard : shards) {
      synchronized (shard) {
        size += shard.size();
      }
    }
    return size;
  }

  /// Frees all files that have no name after the kernel has sent its last request. Called once,
  /// when no other thread uses this object.
  void close() throws IOException {
    for (int i = 0; i < SHARDS; i++) {
      long[] held = shards[i].held();
      shards[i] = new FuseLookups();
      for (long inode : held) {
        tree.release(inode);
      }
    }
  }
}
