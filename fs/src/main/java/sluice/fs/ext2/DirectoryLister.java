package sluice.fs.ext2;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.fs.DirectorySink;
import sluice.fs.FsException;
import sluice.fs.ext2.layout.EntryBytes;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.HashBatch;
import sluice.fs.ext2.layout.HashOrder;
import sluice.sys.Errno;

/// Lists directories. This class is thread-safe. The lock of the directory is held while a batch of
/// entries is collected, but not while the sink is invoked.
///
/// A linear directory of more than one block is listed in the order of its blocks because its
/// entries never move, and its cookies are byte offsets. A directory that has a hash tree, or that
/// will have one when it grows to two blocks, is listed in the order of [HashOrder] because entries
/// move when a leaf is split. A listing continues in the order in which it began, even if the
/// directory is converted in the meantime.
final class DirectoryLister {
  private final Geometry geometry;
  private final InodeCache inodes;
  private final Directories directories;
  private final HashTree tree;
  private final HashOrder order;

  /// A batch of entries.
  ///
  /// @param next the smallest key of the following batch, or -1 at the end of the directory
  private record Batch(List<HashBatch.Item> items, long next) {}

  DirectoryLister(Geometry geometry, InodeCache inodes, Directories directories) {
    this.geometry = geometry;
    this.inodes = inodes;
    this.directories = directories;
    tree = directories.hashTree();
    order = new HashOrder(geometry);
  }

  /// Lists the entries of a directory. See [FileTree#list].
  boolean list(long number, long cookie, DirectorySink sink) throws IOException {
    if (cookie < 0) {
      throw FsException.of(Errno.EINVAL, "cookie " + cookie);
    }
    boolean byHash = HashOrder.isCookie(cookie) || isByHash(number, cookie);
    return byHash
        ? listByHash(number, HashOrder.from(cookie), sink)
        : listByPlace(number, cookie, sink);
  }

  private Inode lock(long number) throws IOException {
    Inode directory = inodes.lockToRead(number);
    if (!directory.isDirectory()) {
      directory.unlockRead();
      throw FsException.of(Errno.ENOTDIR, "inode " + number);
    }
    return directory;
  }

  // ---- in block order ---------------------------------------------------------------------------

  private boolean listByPlace(long number, long cookie, DirectorySink sink) throws IOException {
    long at = cookie;
    while (true) {
      byte[] bytes;
      Inode directory = lock(number);
      try {
        if (at >= directory.size || directory.links == 0) {
          return true;
        }
        bytes = directories.readBlock(directory, at >> geometry.blockShift);
      } finally {
        directory.unlockRead();
      }
      EntryBytes.checkNames(number, at >> geometry.blockShift, bytes);
      long start = at & -geometry.blockBytes;
      if (!EntryBytes.emit(geometry, bytes, start, at, sink)) {
        return false;
      }
      at = start + geometry.blockBytes;
    }
  }

  // ---- in hash order ----------------------------------------------------------------------------

  /// Returns true if a cookie that is not a hash cookie denotes a position in hash order. This is
  /// the start of the directory, or a position that was never returned by a listing, for example
  /// because of a random `seekdir(3)`. A byte offset within the directory belongs to a listing in
  /// block order, even if the directory has a tree that was found to be invalid.
  private boolean isByHash(long number, long cookie) throws IOException {
    Inode directory = lock(number);
    try {
      if (cookie != 0 && cookie < directory.size) {
        return false;
      }
      return tree.isIndexed(directory)
          ? directory.links > 0 && tree.isWhole(directory)
          : geometry.nameHash >= 0 && directories.blocks(directory) == 1;
    } finally {
      directory.unlockRead();
    }
  }

  private boolean listByHash(long number, long start, DirectorySink sink) throws IOException {
    long from = start;
    while (from >= 0) {
      Batch batch;
      Inode directory = lock(number);
      try {
        if (directory.links == 0) {
          return true;
        }
        batch = collect(directory, from);
      } finally {
        directory.unlockRead();
      }
      for (HashBatch.Item item : batch.items) {
        long next = HashOrder.cookieAfter(item.key());
        if (!sink.entry(item.inode(), item.kind(), item.name(), next)) {
          return false;
        }
      }
      from = batch.next;
    }
    return true;
  }

  private Batch collect(Inode directory, long from) throws IOException {
    HashTree.Path path = null;
    if (tree.isIndexed(directory) && tree.isWhole(directory)) {
      path = tree.seek(directory, HashOrder.hash(from));
    }
    int version = path == null ? geometry.nameHash : path.version;
    if (version < 0) {
      throw FsException.of(Errno.EINVAL, "a cookie of an image with hash trees");
    }
    if (path != null) {
      Batch batch = collectLeaves(directory, path, from);
      tree.give(path);
      if (batch != null) {
        return batch;
      }
      directory.treeState = HashTree.BROKEN;
    }
    return collectAll(directory, version, from);
  }

  /// Collects the entries of the leaf to which a key belongs, and of the following leaves that
  /// continue the last hash of the preceding leaf.
  ///
  /// @return the batch, or null if the tree contains names in the wrong leaves
  private @Nullable Batch collectLeaves(Inode directory, HashTree.Path path, long from)
      throws IOException {
    HashBatch batch = new HashBatch(geometry, order, path.version, from);
    if (HashOrder.isBeforeNames(from)) {
      batch.add(read(directory, 0), 0, 0);
    }
    boolean more;
    do {
      int low = path.start() & ~1;
      byte[] bytes = read(directory, path.leaf());
      more = tree.advance(directory, path);
      if (!batch.add(bytes, low, more ? path.start() : 0)) {
        return null;
      }
    } while (more && (path.start() & 1) != 0);
    return ended(batch, more ? HashOrder.least(path.start()) : -1);
  }

  /// Collects entries from all blocks. This is used for directories that consist of one block and
  /// for directories whose tree was abandoned during the listing.
  private Batch collectAll(Inode directory, int version, long from) throws IOException {
    HashBatch batch = new HashBatch(geometry, order, version, from);
    for (long block = 0; block < directories.blocks(directory); block++) {
      batch.add(read(directory, block), 0, 0);
    }
    return ended(batch, -1);
  }

  private byte[] read(Inode directory, long block) throws IOException {
    byte[] bytes = directories.readBlock(directory, block);
    EntryBytes.checkNames(directory.number, block, bytes);
    return bytes;
  }

  private static Batch ended(HashBatch batch, long next) {
    List<HashBatch.Item> items = batch.sorted();
    return new Batch(items, batch.isCut() ? items.getLast().key() + 1 : next);
  }
}
