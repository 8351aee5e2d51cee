package sluice.fs.ext2;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.fs.block.Buffer;
import sluice.fs.ext2.layout.AttributeLayout;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.fs.ext2.layout.SuperblockLayout;

/// The set of blocks that are used by files. A check determines them by following every block
/// pointer. Instances are confined to the checking thread.
///
/// Each block is followed only once, regardless of how many pointers refer to it, so checking a
/// damaged image takes no longer than checking an intact one. The set requires one bit per block of
/// each group that has content, which is at most 32 MB for a terabyte in blocks of 4 KB, and 96
/// bytes for each block of extended attributes.
final class ClaimedBlocks {
  private static final long SHARED_BYTES = 96;

  private final Volume volume;
  private final Geometry geometry;
  private final Consumer<String> says;
  private final CheckBudget budget;
  private final Checksums checksums;

  /// The number of preallocated blocks that may follow the end of a directory.
  private final int preallocated;

  /// For each group, a bitmap of its blocks, or null if none of its blocks has been claimed yet.
  private final long[] @Nullable [] claimed;

  /// The number of blocks of inode 7 that are not descriptor blocks. Only one such block is valid,
  /// which is the root of its double-indirect tree.
  private int resizeRoots;

  /// The blocks of extended attributes, mapped to the number of inodes that share them.
  private final Map<Long, Integer> attributeBlocks = new HashMap<>();

  /// Creates an empty set.
  ///
  /// @param superblock the bytes of the superblock
  /// @throws FsException `ENOMEM` if the budget is exhausted
  ClaimedBlocks(Volume volume, byte[] superblock, CheckBudget budget, Consumer<String> says)
      throws FsException {
    this.volume = volume;
    checksums = new Checksums(volume.geometry);
    preallocated = superblock[SuperblockLayout.PREALLOCATED_DIRECTORY_BLOCKS] & 0xFF;
    this.budget = budget;
    this.says = says;
    geometry = volume.geometry;
    budget.charge(8L * geometry.groups);
    claimed = new long[geometry.groups][];
  }

  boolean isClaimed(long block) {
    int group = geometry.groupOfBlock(block);
    long[] bits = claimed[group];
    int bit = (int) (block - geometry.groupStart(group));
    return bits != null && (bits[bit >>> 6] >>> bit & 1) != 0;
  }

  private void mark(long block) throws FsException {
    int group = geometry.groupOfBlock(block);
    long[] bits = claimed[group];
    if (bits == null) {
      int words = (geometry.blocksPerGroup + 63) >>> 6;
      budget.charge(16 + 8L * words);
      bits = new long[words];
      claimed[group] = bits;
    }
    int bit = (int) (block - geometry.groupStart(group));
    bits[bit >>> 6] |= 1L << bit;
  }

  private boolean claim(long inode, long block) throws FsException {
    if (block <= geometry.firstDataBlock
        || block >= geometry.blocks
        || volume.groups.isMetadata(block)) {
      says.accept("inode " + inode + " points to block " + block + ", which is no file's");
      return false;
    }
    boolean root = inode == InodeLayout.RESIZE && !geometry.isReservedDescriptor(block);
    if (root && resizeRoots++ > 0) {
      says.accept("inode " + inode + " points to block " + block + ", kept for no descriptors");
      return false;
    }
    if (isClaimed(block)) {
      says.accept("block " + block + " is taken twice, also by inode " + inode);
      return false;
    }
    mark(block);
    return true;
  }

  /// Follows the block pointers of an inode, and compares the blocks that were found with the size
  /// and the sector count of the inode.
  ///
  /// @param translator the Hurd translator block of the inode, or 0 if it has none
  void follow(Inode inode, long translator) throws IOException {
    PathWalk walk = new PathWalk(inode);
    if (inode.hasBlockMap(geometry.blockBytes) || hasList(inode)) {
      for (int i = 0; i < InodeLayout.BLOCK_POINTERS; i++) {
        int level = Math.max(0, i - InodeLayout.DIRECT_BLOCKS + 1);
        walk.follow(inode.block[i] & 0xFFFF_FFFFL, level);
      }
    }
    checkSize(inode, walk.next);
    long taken = walk.taken;
    if (translator != 0) {
      claim(inode.number, translator);
      taken++;
    }
    if (inode.attributeBlock != 0) {
      taken++;
      if (attributeBlocks.merge(inode.attributeBlock, 1, Integer::sum) == 1) {
        budget.charge(SHARED_BYTES);
        claim(inode.number, inode.attributeBlock);
      }
    }
    if (inode.number == InodeLayout.BAD_BLOCKS) {
      return; // its sector count is undefined
    }
    long sectors = taken << (geometry.blockShift - 9);
    if (inode.sectors != sectors) {
      says.accept(
          "inode " + inode.number + " counts " + inode.sectors + " sectors, has " + sectors);
    }
  }

  /// Returns true if the inode has block pointers regardless of its mode.
  private static boolean hasList(Inode inode) {
    return inode.number == InodeLayout.BAD_BLOCKS || inode.number == InodeLayout.JOURNAL;
  }

  /// Checks that the size of an inode matches its blocks.
  ///
  /// @param end the number of the block after the last mapped block
  private void checkSize(Inode inode, long end) throws IOException {
    long blocks = inode.size >> geometry.blockShift;
    String about = "inode " + inode.number + " has " + inode.size + " bytes";
    if (inode.isDirectory()) {
      if (blocks > end || end - blocks > preallocated || blocks == 0) {
        says.accept(about + ", and blocks up to the " + end + "th");
      }
    } else if (inode.isSymlink()) {
      checkLink(inode);
    } else if (end > 0 && inode.size < (end - 1) << geometry.blockShift) {
      says.accept(about + ", and blocks up to the " + end + "th");
    }
  }

  /// Checks the size of a symbolic link. If the target does not fit into the inode, the link has
  /// exactly one block, and its size determines where the target ends.
  private void checkLink(Inode inode) throws IOException {
    if (inode.size < 4L * InodeLayout.BLOCK_POINTERS) {
      if (!inode.isFastSymlink(geometry.blockBytes)) {
        says.accept("inode " + inode.number + " is a short link with a block");
      }
      return;
    }
    boolean one = inode.block[0] != 0;
    for (int i = 1; i < InodeLayout.BLOCK_POINTERS; i++) {
      one &= inode.block[i] == 0;
    }
    long block = inode.block[0] & 0xFFFF_FFFFL;
    int length = 0;
    if (one && block > geometry.firstDataBlock && block < geometry.blocks) {
      try (Buffer buffer = volume.cache.read(block)) {
        while (length < geometry.blockBytes && buffer.getByte(length) != 0) {
          length++;
        }
      }
    }
    if (!one || length != inode.size || length == geometry.blockBytes) {
      says.accept(
          "inode "
              + inode.number
              + " is a link of "
              + inode.size
              + " bytes, its target has "
              + length);
    }
  }

  /// Walks the pointer tree of an inode.
  private final class PathWalk {
    private final Inode inode;
    long taken;

    /// The number of content blocks that were visited so far, including holes.
    private long passed;

    /// The number of the block after the last mapped block.
    long next;

    PathWalk(Inode inode) {
      this.inode = inode;
    }

    void follow(long block, int level) throws IOException {
      if (block == 0 || !claim(inode.number, block)) {
        passed += 1L << (level * (geometry.blockShift - 2));
        return;
      }
      taken++;
      if (level == 0) {
        passed++;
        next = passed;
        return;
      }
      int[] pointers = new int[geometry.pointersPerBlock()];
      try (Buffer buffer = volume.cache.read(block)) {
        for (int i = 0; i < pointers.length; i++) {
          pointers[i] = buffer.getInt(i << 2);
        }
      }
      for (int pointer : pointers) {
        follow(pointer & 0xFFFF_FFFFL, level - 1);
      }
    }
  }

  /// Checks each block of attributes, and compares its reference count with the number of inodes
  /// that share it.
  void checkAttributes() throws IOException {
    byte[] bytes = new byte[geometry.blockBytes];
    for (var entry : attributeBlocks.entrySet()) {
      long number = entry.getKey();
      if (!volume.isContent(number)) {
        continue; // already reported with its inode
      }
      try (Buffer buffer = volume.cache.read(number)) {
        buffer.get(0, bytes, 0, bytes.length);
      }
      String wrong = wrongAttributes(number, bytes, entry.getValue());
      if (!wrong.isEmpty()) {
        says.accept("block " + number + " of extended attributes: " + wrong);
      }
    }
  }

  private String wrongAttributes(long number, byte[] bytes, int inodes) {
    ByteBuffer b = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int references = b.getInt(AttributeLayout.REFERENCES);
    if (b.getInt(0) != AttributeLayout.MAGIC) {
      return "no magic number";
    }
    if (b.getInt(AttributeLayout.BLOCKS) != 1) {
      return "of " + Integer.toUnsignedString(b.getInt(AttributeLayout.BLOCKS)) + " blocks";
    }
    if (references != inodes) {
      return "counts " + references + " inodes, has " + inodes;
    }
    int sum = b.getInt(AttributeLayout.CHECKSUM);
    if (checksums.everywhere() && sum != checksums.attributes(number, bytes)) {
      return "its checksum does not match its bytes";
    }
    return CheckedAttributes.inBlock(bytes);
  }
}
