package sluice.fs.fuse;

import java.io.IOException;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileTree;
import sluice.fs.FsException;

/// The kernel's numbers of inodes, and what it still knows of them. Any thread may call.
///
/// The kernel counts how often it was told of an inode and says when it forgets; until then it may
/// ask for it, also when it has lost its last name (an open file, a working directory). The tree
/// must keep such a file, and only such: an inode with a name is found again at any time. So the
/// tree keeps a file from the loss of its last name, and the inodes it holds in memory stay bounded
/// whatever the kernel caches.
///
/// A number is the inode's own, but for the root, which is always 1, and for an inode 1, which has
/// the root's.
final class FuseNodes {
  private static final int SHARDS = 64;

  private final FileTree tree;
  private final long root;
  private final boolean retainsAll;
  private final FuseLookups[] shards = new FuseLookups[SHARDS];

  /// Guarded by the root's shard.
  private boolean rootLostNames;

  /// @param retainsAll whether names go in other ways than through the kernel: then the tree keeps
  ///   each file that the kernel knows
  FuseNodes(FileTree tree, boolean retainsAll) {
    this.tree = tree;
    this.retainsAll = retainsAll;
    root = tree.rootInode();
    for (int i = 0; i < SHARDS; i++) {
      shards[i] = new FuseLookups();
    }
  }

  /// The kernel's number of an inode, or the inode of a kernel's number.
  long swap(long number) {
    if (number == root) {
      return FuseOpcode.ROOT_ID;
    }
    return number == FuseOpcode.ROOT_ID ? root : number;
  }

  private FuseLookups shard(long inode) {
    return shards[(int) (inode ^ inode >>> 6) & (SHARDS - 1)];
  }

  /// The kernel is about to be told of an inode.
  ///
  /// @throws FsException `ESTALE` when it is gone; the kernel is not told then
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
      tree.release(inode); // it was kept before
    }
  }

  /// The kernel has forgotten an inode so many times.
  ///
  /// @return whether the caller must release it in the tree
  boolean forget(long inode, long count) {
    FuseLookups shard = shard(inode);
    synchronized (shard) {
      return inode != 0 && shard.forget(inode, count);
    }
  }

  /// Something that may take a file's last name.
  @FunctionalInterface
  interface Removal {
    void run() throws IOException;
  }

  /// Removes a name, so that its file lives on while the kernel knows it. The kernel changes a
  /// directory by one request at a time, so the name leads to one file throughout. By a file handle
  /// the kernel may be told of the file at any time: so it is kept until it is seen, behind the
  /// removal, whether that was so.
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
      return 0; // the removal says what is wrong
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

  /// A directory has lost a name.
  ///
  /// @return whether it is the first that it has lost since the kernel knows it
  boolean loseName(long directory) {
    FuseLookups shard = shard(directory);
    synchronized (shard) {
      if (directory != root) {
        return shard.loseName(directory);
      }
      boolean first = !rootLostNames; // the kernel knows it without a lookup
      rootLostNames = true;
      return first;
    }
  }

  /// Whether a directory has lost a name since the kernel knows it.
  boolean hasLostNames(long directory) {
    FuseLookups shard = shard(directory);
    synchronized (shard) {
      return directory == root ? rootLostNames : shard.hasLostNames(directory);
    }
  }

  /// Number of inodes the kernel knows.
  int size() {
    int size = 0;
    for (FuseLookups shard : shards) {
      synchronized (shard) {
        size += shard.size();
      }
    }
    return size;
  }

  /// The kernel asks no more: what has no name is freed. To be called once, when no other thread
  /// calls.
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
