package sluice.fs.ext2;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Finds the leaf of an indexed directory in which a name must be. Called with the directory's lock
/// held.
///
/// It only reads: see [Directories] for what happens to a tree when entries are added. A tree that
/// contradicts itself is not used; the leaves hold all names anyway.
final class HashTree {
  private static final int MAX_LEVELS = 1;
  private static final int BLOCK_MASK = 0x0FFF_FFFF;

  private final Geometry geometry;

  HashTree(Geometry geometry) {
    this.geometry = geometry;
  }

  /// Reads a block of the directory.
  interface Reader {
    byte[] read(long block) throws IOException;
  }

  /// The leaves in which a name may be, null when the tree cannot be used.
  @Nullable Leaves find(byte[] name, Reader reader) throws IOException {
    byte[] root = reader.read(0);
    int version = root[EntryLayout.DX_HASH_VERSION] & 0xFF;
    int levels = root[EntryLayout.DX_LEVELS] & 0xFF;
    int info = root[EntryLayout.DX_INFO_LENGTH] & 0xFF;
    if (version <= DirectoryHash.TEA && geometry.hashUnsigned) {
      version += DirectoryHash.UNSIGNED;
    }
    if (!DirectoryHash.isKnown(version) || levels > MAX_LEVELS || info != 8) {
      return null;
    }
    int hash = DirectoryHash.of(version, name, geometry.hashSeed);
    Node node = Node.of(root, EntryLayout.DX_ROOT_INFO + info);
    if (node == null) {
      return null;
    }
    node.seek(hash);
    if (levels == 0) {
      return new Leaves(hash, null, node, reader);
    }
    Node below = Node.of(reader.read(node.block()), EntryLayout.DX_NODE_ENTRIES);
    if (below == null) {
      return null;
    }
    below.seek(hash);
    return new Leaves(hash, node, below, reader);
  }

  /// The entries of one block of the tree, and one of them.
  static final class Node {
    private final byte[] bytes;
    private final int start;
    private final int count;
    private int at;

    private Node(byte[] bytes, int start, int count) {
      this.bytes = bytes;
      this.start = start;
      this.count = count;
    }

    static @Nullable Node of(byte[] bytes, int start) {
      int limit = (int) Directories.inode(bytes, start) & 0xFFFF;
      int count = (int) Directories.inode(bytes, start) >>> 16;
      boolean fits = start + limit * EntryLayout.DX_ENTRY_BYTES <= bytes.length;
      return fits && count >= 1 && count <= limit ? new Node(bytes, start, count) : null;
    }

    int hash() {
      return (int) Directories.inode(bytes, start + at * EntryLayout.DX_ENTRY_BYTES);
    }

    long block() {
      return Directories.inode(bytes, start + at * EntryLayout.DX_ENTRY_BYTES + 4) & BLOCK_MASK;
    }

    /// Goes to the last entry whose hash is not above; the first stands for all below.
    void seek(int hash) {
      int low = 0;
      int high = count - 1;
      while (low < high) {
        at = (low + high + 1) >>> 1;
        if (Integer.compareUnsigned(hash(), hash) > 0) {
          high = at - 1;
        } else {
          low = at;
        }
      }
      at = low;
    }

    boolean next() {
      at++;
      return at < count;
    }
  }

  /// A leaf, and those that go on with names of the same hash.
  static final class Leaves {
    private final int hash;
    private final @Nullable Node above;
    private final Reader reader;
    private Node node;

    Leaves(int hash, @Nullable Node above, Node node, Reader reader) {
      this.hash = hash;
      this.above = above;
      this.node = node;
      this.reader = reader;
    }

    long block() {
      return node.block();
    }

    /// Goes to the next leaf.
    ///
    /// @return false when no later one has names of this hash
    boolean next() throws IOException {
      if (node.next()) {
        return (node.hash() & ~1) == hash;
      }
      if (above == null || !above.next() || (above.hash() & ~1) != hash) {
        return false;
      }
      Node next = Node.of(reader.read(above.block()), EntryLayout.DX_NODE_ENTRIES);
      if (next == null) {
        return false;
      }
      node = next;
      return true;
    }
  }
}
