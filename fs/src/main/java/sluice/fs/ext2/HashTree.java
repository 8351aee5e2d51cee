package sluice.fs.ext2;

import java.io.IOException;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.fs.ext2.layout.DirectoryHash;
import sluice.fs.ext2.layout.EntryBytes;
import sluice.fs.ext2.layout.EntryLayout;
import sluice.fs.ext2.layout.Features;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.HashTreeNode;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.fs.ext2.layout.Names;
import sluice.fs.ext2.layout.ScratchBlocks;

/// Locates the leaf of an indexed directory that may contain a given name. Callers must hold the
/// lock of the directory.
///
/// The nodes of a tree, but not its leaves, are validated before the tree is modified or used for a
/// listing. From then on the tree is modified only by [HashTreeSplit], so it remains valid. A tree
/// that is inconsistent is never modified and is not used by lookups. Lookups do not depend on it
/// because the leaves contain all names.
final class HashTree {
  /// The states of a tree, see [Inode#treeState].
  static final int UNKNOWN = 0;

  static final int WHOLE = 1;
  static final int BROKEN = 2;

  private static final int MAX_LEVELS = 1;

  private final Geometry geometry;
  private final Directories directories;
  private final ScratchBlocks scratch;

  HashTree(Geometry geometry, Directories directories, ScratchBlocks scratch) {
    this.geometry = geometry;
    this.directories = directories;
    this.scratch = scratch;
  }

  /// Returns true if the directory has a hash tree and the image has the corresponding feature.
  boolean isIndexed(Inode directory) {
    return geometry.has(Features.DIR_INDEX) && (directory.flags & InodeLayout.FLAG_INDEX) != 0;
  }

  // ---- looking up -------------------------------------------------------------------------------

  /// A path to a leaf, which consists of the entries that were selected in the root and, if the
  /// tree has two levels, in the node below the root.
  static final class Path {
    /// The hash function, in the numbering of [DirectoryHash].
    final int version;

    final int hash;
    final HashTreeNode root;
    @Nullable HashTreeNode node;

    /// True if the directory consists of a single block and has no tree yet.
    final boolean isNew;

    Path(int version, int hash, HashTreeNode root, boolean isNew) {
      this.version = version;
      this.hash = hash;
      this.root = root;
      this.isNew = isNew;
    }

    HashTreeNode lowest() {
      return node != null ? node : root;
    }

    /// Returns the leaf as a block number of the directory.
    long leaf() {
      return lowest().block();
    }

    /// Returns the smallest hash of the leaf. If its lowest bit is set, names with this hash begin
    /// in the preceding leaf.
    int start() {
      HashTreeNode lowest = lowest();
      return lowest.at() > 0 ? lowest.hash() : lowest != root && root.at() > 0 ? root.hash() : 0;
    }

    /// Returns true if a hash is less than the smallest hash of the next leaf.
    boolean isBelowEnd(int hash) {
      return lowest().isLast()
          ? root.isLast() || root.isBelowNext(hash)
          : lowest().isBelowNext(hash);
    }

    /// Returns true if the lowest node is full and the root has no free entry that would allow it
    /// to be split.
    boolean isFull() {
      return node != null && node.isFull() && root.isFull();
    }
  }

  /// Returns the path to the first leaf that may contain the given name, or null if the tree cannot
  /// be used.
  @Nullable Path find(Inode directory, byte[] name) throws IOException {
    byte[] root = directories.readRaw(directory, 0);
    int version = version(root);
    return version < 0
        ? null
        : seek(directory, root, version, DirectoryHash.of(version, name, geometry.hashSeed));
  }

  /// Returns the path to the first leaf that may contain the given hash, or null if the tree cannot
  /// be used.
  @Nullable Path seek(Inode directory, int hash) throws IOException {
    byte[] root = directories.readRaw(directory, 0);
    int version = version(root);
    return version < 0 ? null : seek(directory, root, version, hash);
  }

  private @Nullable Path seek(Inode directory, byte[] rootBytes, int version, int hash)
      throws IOException {
    HashTreeNode root = HashTreeNode.of(0, rootBytes, EntryLayout.DX_ROOT_ENTRIES);
    if (root == null) {
      return null;
    }
    root.seek(hash);
    Path path = new Path(version, hash, root, false);
    if (rootBytes[EntryLayout.DX_LEVELS] > 0) {
      path.node = node(directory, root.block());
      if (path.node == null) {
        return null;
      }
      path.node.seek(hash);
    }
    return path;
  }

  private @Nullable HashTreeNode node(Inode directory, long block) throws IOException {
    byte[] bytes = directories.readRaw(directory, block);
    return HashTreeNode.of(block, bytes, EntryLayout.DX_NODE_ENTRIES);
  }

  /// Returns the hash function of a tree in the numbering of [DirectoryHash], or -1 if it is
  /// unknown.
  private int version(byte[] root) {
    int version = root[EntryLayout.DX_HASH_VERSION] & 0xFF;
    if (version <= DirectoryHash.TEA && geometry.hashUnsigned) {
      version += DirectoryHash.UNSIGNED;
    }
    boolean known =
        DirectoryHash.isKnown(version)
            && root[EntryLayout.DX_INFO_LENGTH] == EntryLayout.DX_INFO_BYTES
            && root[EntryLayout.DX_LEVELS] >= 0
            && root[EntryLayout.DX_LEVELS] <= MAX_LEVELS;
    return known ? version : -1;
  }

  /// Advances a path to the next leaf.
  ///
  /// @return false if there is no next leaf
  boolean advance(Inode directory, Path path) throws IOException {
    if (path.lowest().next()) {
      return true;
    }
    if (path.node == null || !path.root.next()) {
      return false;
    }
    HashTreeNode next = node(directory, path.root.block());
    if (next == null) {
      throw corrupt(directory, path.root.block(), "impossible limit or count");
    }
    give(path.node);
    path.node = next;
    return true;
  }

  /// Advances a path to the next leaf if that leaf continues the same hash. Returns false
  /// otherwise.
  boolean goOn(Inode directory, Path path) throws IOException {
    return advance(directory, path) && (path.start() & ~1) == path.hash;
  }

  /// Releases the buffers of a path, which must not be used afterwards.
  void give(Path path) {
    give(path.root);
    if (path.node != null) {
      give(path.node);
    }
  }

  private void give(HashTreeNode node) {
    scratch.give(node.bytes());
  }

  // ---- checking ---------------------------------------------------------------------------------

  /// Returns true if the tree is consistent. Its nodes are validated only once.
  boolean isWhole(Inode directory) throws IOException {
    if (directory.treeState == UNKNOWN) {
      try {
        requireWhole(directory);
      } catch (FsException e) {
        if (directory.treeState == UNKNOWN) {
          throw e;
        }
      }
    }
    return directory.treeState == WHOLE;
  }

  /// Checks that the tree is consistent.
  ///
  /// @throws FsException `EUCLEAN` with the inode and the block if the tree is inconsistent
  void requireWhole(Inode directory) throws IOException {
    if (directory.treeState != WHOLE) {
      new Check(directory).run();
      directory.treeState = WHOLE;
    }
  }

  /// Checks that the tree is consistent and that every name is in the leaf to which its hash
  /// belongs.
  void requireNamesInPlace(Inode directory) throws IOException {
    requireWhole(directory);
    Path path = seek(directory, 0);
    boolean more = path != null;
    if (path != null && (path.root.at() > 0 || path.lowest().at() > 0)) {
      throw corrupt(directory, path.lowest().logical(), "a hash of 0 that is not the first");
    }
    while (path != null && more) {
      long leaf = path.leaf();
      int low = path.start() & ~1;
      byte[] bytes = directories.readBlock(directory, leaf);
      more = advance(directory, path);
      for (int at = 0; at < bytes.length; at += EntryBytes.recordLength(bytes, at)) {
        int length = EntryBytes.nameLength(bytes, at);
        int name = at + EntryLayout.NAME;
        int hash = DirectoryHash.of(path.version, bytes, name, length, geometry.hashSeed);
        boolean above = more && Integer.compareUnsigned(hash, path.start()) >= 0;
        boolean wrong = above || Integer.compareUnsigned(hash, low) < 0;
        if (wrong && EntryBytes.inode(bytes, at) != 0) {
          throw corrupt(directory, leaf, "the name at byte " + at + " belongs into another leaf");
        }
      }
    }
  }

  /// Marks a tree as broken and returns the exception that reports it.
  ///
  /// @param block the block number in the directory
  FsException corrupt(Inode directory, long block, String what) throws IOException {
    directory.treeState = BROKEN;
    return FsException.corrupt(
        directory.number, directories.deviceBlock(directory, block), "its hash tree: " + what);
  }

  /// Performs a single validation of a tree. Instances are confined to the validating thread.
  private final class Check {
    private final Inode directory;
    private final long blocks;
    private final BitSet seen = new BitSet();
    private int last;

    Check(Inode directory) {
      this.directory = directory;
      blocks = directory.size >> geometry.blockShift;
    }

    void run() throws IOException {
      if (blocks == 0) {
        directory.treeState = BROKEN;
        throw FsException.corrupt(directory.number, -1, "its hash tree: no block");
      }
      byte[] bytes = directories.readRaw(directory, 0);
      seen.set(0);
      requireDots(bytes);
      boolean reserved = EntryBytes.inode(bytes, EntryLayout.DX_ROOT_INFO) != 0;
      if (version(bytes) < 0 || bytes[EntryLayout.DX_UNUSED_FLAGS] != 0 || reserved) {
        throw corrupt(directory, 0, "an unknown hash, length or number of levels");
      }
      HashTreeNode root = HashTreeNode.of(0, bytes, EntryLayout.DX_ROOT_ENTRIES);
      requireLimit(root, 0, EntryLayout.DX_ROOT_ENTRIES);
      boolean deep = bytes[EntryLayout.DX_LEVELS] > 0;
      for (int i = 0; root != null && i < root.count(); i++) {
        root.go(i);
        follow(root, i > 0);
        if (deep) {
          followNode(root.block());
        }
      }
      if (seen.cardinality() != blocks) {
        throw corrupt(
            directory, seen.nextClearBit(0), "leads to " + seen.cardinality() + " of " + blocks);
      }
      scratch.give(bytes);
    }

    private void requireDots(byte[] bytes) throws IOException {
      int second = EntryLayout.bytes(1);
      boolean good =
          EntryBytes.isNamed(bytes, 0, Names.DOT)
              && EntryBytes.recordLength(bytes, 0) == second
              && EntryBytes.isNamed(bytes, second, Names.DOT_DOT)
              && EntryBytes.recordLength(bytes, second) == bytes.length - second;
      if (!good) {
        throw corrupt(directory, 0, "no . and .. before it");
      }
    }

    private void requireLimit(@Nullable HashTreeNode node, long block, int start)
        throws IOException {
      int entries = HashTreeNode.limit(geometry.blockBytes, start);
      if (node == null || node.limit() != entries - (geometry.checksumsEverywhere() ? 1 : 0)) {
        throw corrupt(directory, block, "impossible limit or count");
      }
    }

    private void follow(HashTreeNode node, boolean hasHash) throws IOException {
      if (hasHash && Integer.compareUnsigned(node.hash(), last) < 0) {
        throw corrupt(directory, node.logical(), "hashes out of order at entry " + node.at());
      }
      last = hasHash ? node.hash() : last;
      long below = node.block();
      if (below <= 0 || below >= blocks || seen.get((int) below)) {
        throw corrupt(directory, node.logical(), "entry " + node.at() + " leads to block " + below);
      }
      seen.set((int) below);
    }

    private void followNode(long block) throws IOException {
      byte[] bytes = directories.readRaw(directory, block);
      if (EntryBytes.inode(bytes, 0) != 0 || EntryBytes.recordLength(bytes, 0) != bytes.length) {
        throw corrupt(directory, block, "a node that is a block of names");
      }
      HashTreeNode node = HashTreeNode.of(block, bytes, EntryLayout.DX_NODE_ENTRIES);
      requireLimit(node, block, EntryLayout.DX_NODE_ENTRIES);
      for (int i = 0; node != null && i < node.count(); i++) {
        node.go(i);
        follow(node, i > 0);
      }
      scratch.give(bytes);
    }
  }
}
