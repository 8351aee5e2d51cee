package sluice.fs.fuse;

import java.io.IOException;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileTree;
import sluice.fs.FsException;

/// The kernel's node numbers, and the inodes that it knows. Safe for use by any thread.
///
/// The kernel counts how often an inode was reported to it, and says when it forgets the inode.
/// Until then it may refer to the inode, even if that has lost its last name (an open file, a
/// working directory). The tree must retain such files, but no others, because an inode with a name
/// can be found again at any time. So the tree retains a file only when it loses its last name, and
/// the number of inodes in memory stays bounded whatever the kernel caches.
///
/// The node number is the inode number, except for the root, which is always 1, and for inode 1,
/// which has the number of the root.
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
  /// @param retainsAll true if names are also removed by other means than the kernel: then the tree
  ///   retains each file that the kernel knows
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

  /// Counts a lookup before an inode is reported to the kernel.
  ///
  /// @throws FsException `ESTALE` if the inode is gone; it must not be reported then
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

  /// Subtracts lookups that the kernel has forgotten.
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

  /// Removes a name. The file stays alive while the kernel knows it. The kernel changes a directory
  /// by one request at a time, so the name leads to the same file throughout. A file handle may
  /// make the kernel aware of the file at any time; so the file is retained until it is known,
  /// after the removal, whether the kernel knows it.
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
  /// @return true if it is the first one since the kernel knows the directory
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

  /// Returns true if a directory has lost a name since the kernel knows it.
  boolean hasLostNames(long directory) {
    FuseLookups shard = shard(directory);
    synchronized (shard) {
      return directory == root ? rootLostNames : shard.hasLostNames(directory);
    }
  }

  /// Returns the number of inodes that the kernel knows.
  int size() {
    int size = 0;
    for (FuseLookups shard : shards) {
      synchronized (shard) {
        size += shard.size();
      }
    }
    return size;
  }

  /// Frees files without a name at the end, when the kernel sends no more requests. Called once,
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
