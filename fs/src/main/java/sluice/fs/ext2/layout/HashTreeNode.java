package sluice.fs.ext2.layout;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A copy of a block of a hash tree, together with a current entry. Instances are confined to the
/// thread that reads or modifies the tree.
///
/// ```
/// root: |. |.. |info|limit count block|hash block|…     node: |fake|limit count block|hash block|…
/// ```
///
/// The hash of an entry is the smallest hash of its block. The first entry has no hash and covers
/// all hashes that are smaller than the hash of the second entry.
public final class HashTreeNode {
  private static final int BLOCK_MASK = 0x0FFF_FFFF;

  private final long logical;
  private final byte[] bytes;
  private final int start;
  private int at;

  private HashTreeNode(long logical, byte[] bytes, int start) {
    this.logical = logical;
    this.bytes = bytes;
    this.start = start;
  }

  /// Wraps a node.
  ///
  /// @param logical the block number in the directory
  /// @param start the offset of the entries
  /// @return the node, or null if its limit or count is invalid
  public static @Nullable HashTreeNode of(long logical, byte[] bytes, int start) {
    HashTreeNode node = new HashTreeNode(logical, bytes, start);
    boolean fits = node.limit() <= limit(bytes.length, start);
    return fits && node.count() >= 1 && node.count() <= node.limit() ? node : null;
  }

  /// Returns the root of a new tree over a block that contains the names `.` and `..`.
  ///
  /// @param firstBlock the content of the directory's only block
  /// @param storedVersion the number of the hash function, as stored in the root
  public static HashTreeNode newRoot(byte[] firstBlock, int storedVersion) {
    byte[] bytes = new byte[firstBlock.length];
    int second = EntryLayout.bytes(1);
    System.arraycopy(firstBlock, 0, bytes, 0, EntryLayout.DX_ROOT_INFO);
    EntryBytes.setRecordLength(bytes, second, bytes.length - second);
    bytes[EntryLayout.DX_HASH_VERSION] = (byte) storedVersion;
    bytes[EntryLayout.DX_INFO_LENGTH] = EntryLayout.DX_INFO_BYTES;
    HashTreeNode root = new HashTreeNode(0, bytes, EntryLayout.DX_ROOT_ENTRIES);
    root.setCount(1);
    root.setBlock(0, 1);
    return root;
  }

  /// Returns a node without entries.
  public static HashTreeNode empty(long logical, int blockBytes) {
    byte[] bytes = new byte[blockBytes];
    EntryBytes.setRecordLength(bytes, 0, blockBytes);
    return new HashTreeNode(logical, bytes, EntryLayout.DX_NODE_ENTRIES);
  }

  /// Returns the number of entries that fit after the given start.
  public static int limit(int blockBytes, int start) {
    return (blockBytes - start) / EntryLayout.DX_ENTRY_BYTES;
  }

  public long logical() {
    return logical;
  }

  public byte[] bytes() {
    return bytes;
  }

  public int limit() {
    return (int) EntryBytes.inode(bytes, start) & 0xFFFF;
  }

  public int count() {
    return (int) EntryBytes.inode(bytes, start) >>> 16;
  }

  public boolean isFull() {
    return count() >= limit();
  }

  public int at() {
    return at;
  }

  public void go(int entry) {
    at = entry;
  }

  public boolean next() {
    at++;
    return at < count();
  }

  private int hash(int entry) {
    return (int) EntryBytes.inode(bytes, offset(entry));
  }

  private int offset(int entry) {
    return start + entry * EntryLayout.DX_ENTRY_BYTES;
  }

  public int hash() {
    return hash(at);
  }

  /// Returns the block of the directory to which the current entry refers.
  public long block() {
    return EntryBytes.inode(bytes, offset(at) + 4) & BLOCK_MASK;
  }

  public boolean isLast() {
    return at + 1 >= count();
  }

  /// Returns true if a hash is less than the hash of the next entry, which must exist.
  public boolean isBelowNext(int hash) {
    return Integer.compareUnsigned(hash, hash(at + 1)) < 0;
  }

  /// Moves to the last entry whose hash is less than or equal to the given hash. The first entry
  /// covers all smaller hashes.
  public void seek(int hash) {
    int low = 0;
    int high = count() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (Integer.compareUnsigned(hash(middle), hash) > 0) {
        high = middle - 1;
      } else {
        low = middle;
      }
    }
    at = low;
  }

  // ---- changing ---------------------------------------------------------------------------------

  private void setCount(int count) {
    EntryBytes.setInt(bytes, start, limit(bytes.length, start) | count << 16);
  }

  private void setBlock(int entry, long block) {
    EntryBytes.setInt(bytes, offset(entry) + 4, (int) block);
  }

  /// Changes the current entry so that it refers to another block.
  public void setBlock(long block) {
    setBlock(at, block);
  }

  /// Inserts an entry after the current entry. There must be enough space.
  public void insert(int hash, long block) {
    int count = count();
    int from = offset(at + 1);
    int bytesBehind = offset(count) - from;
    System.arraycopy(bytes, from, bytes, from + EntryLayout.DX_ENTRY_BYTES, bytesBehind);
    EntryBytes.setInt(bytes, from, hash);
    setBlock(at + 1, block);
    setCount(count + 1);
  }

  /// Moves all entries to a lower node, which becomes the only child.
  public void pushDown(HashTreeNode below) {
    take(below, 0);
    below.at = at;
    setCount(1);
    setBlock(0, below.logical);
    at = 0;
    bytes[EntryLayout.DX_LEVELS]++;
  }

  /// Moves the upper half of the entries to an empty node.
  ///
  /// @return the smallest hash of that node
  public int halve(HashTreeNode upper) {
    int kept = count() / 2;
    int hash = hash(kept);
    take(upper, kept);
    upper.at = at - kept; // meaningful if it is not negative
    setCount(kept);
    return hash;
  }

  private void take(HashTreeNode into, int from) {
    int count = count() - from;
    int target = into.offset(0);
    System.arraycopy(bytes, offset(from), into.bytes, target, offset(count) - offset(0));
    into.setCount(count);
    Arrays.fill(bytes, offset(Math.max(from, 1)), offset(count()), (byte) 0);
  }
}
