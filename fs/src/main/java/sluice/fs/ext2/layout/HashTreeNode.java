package sluice.fs.ext2.layout;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A copy of one block of a hash tree, with a current entry. Confined to the thread that reads or
/// changes the tree.
///
/// ```
/// root: |. |.. |info|limit count block|hash block|…     node: |fake|limit count block|hash block|…
/// ```
///
/// The hash of an entry is the least hash of its block. The first entry has no hash; it covers all
/// hashes below that of the second.
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
  /// @param logical the block of the directory
  /// @param start the offset of the entries
  /// @return null if limit or count is impossible
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

  /// Returns the number of entries that fit behind the start.
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

  /// Returns the block of the directory to which the current entry leads.
  public long block() {
    return EntryBytes.inode(bytes, offset(at) + 4) & BLOCK_MASK;
  }

  public boolean isLast() {
    return at + 1 >= count();
  }

  /// Returns true if a hash is less than that of the next entry, which must exist.
  public boolean isBelowNext(int hash) {
    return Integer.compareUnsigned(hash, hash(at + 1)) < 0;
  }

  /// Moves to the last entry whose hash is not greater. The first entry covers all lesser hashes.
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

  /// Makes the current entry lead to another block.
  public void setBlock(long block) {
    setBlock(at, block);
  }

  /// Inserts an entry behind the current one. There must be room.
  public void insert(int hash, long block) {
    int count = count();
    int from = offset(at + 1);
    int bytesBehind = offset(count) - from;
    System.arraycopy(bytes, from, bytes, from + EntryLayout.DX_ENTRY_BYTES, bytesBehind);
    EntryBytes.setInt(bytes, from, hash);
    setBlock(at + 1, block);
    setCount(count + 1);
  }

  /// Moves all entries to a node below, which becomes the only child.
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
  /// @return the least hash of that node
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
