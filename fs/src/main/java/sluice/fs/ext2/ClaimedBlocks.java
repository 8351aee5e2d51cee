package sluice.fs.ext2;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.fs.block.Buffer;

/// Which blocks files take, found by following every pointer of a check. Of the thread that checks.
///
/// A block is followed once, whatever points to it, so a damaged image costs no more than a good
/// one. Memory is one bit for each block of a group that has content, at most an eighth of a byte
/// for each block of the device (32 MB for a terabyte in blocks of 4 KB), and 96 bytes for each
/// block of extended attributes.
final class ClaimedBlocks {
  private static final long SHARED_BYTES = 96;

  private final Volume volume;
  private final Geometry geometry;
  private final Consumer<String> says;
  private final CheckBudget budget;

  /// Per group, a bit for each block; null as long as nothing in it is taken.
  private final long[] @Nullable [] claimed;

  /// Inodes that share a block of extended attributes.
  private final Map<Long, Integer> attributeBlocks = new HashMap<>();

  /// @throws FsException `ENOMEM`
  ClaimedBlocks(Volume volume, CheckBudget budget, Consumer<String> says) throws FsException {
    this.volume = volume;
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
    if (isClaimed(block)) {
      says.accept("block " + block + " is taken twice, also by inode " + inode);
      return false;
    }
    mark(block);
    return true;
  }

  /// Follows the pointers of one inode and compares what they take with what it says.
  void follow(Inode inode) throws IOException {
    Walk walk = new Walk(inode);
    if (inode.hasBlockMap(geometry.blockBytes) || inode.number == InodeLayout.JOURNAL) {
      for (int i = 0; i < InodeLayout.BLOCK_POINTERS; i++) {
        int level = Math.max(0, i - InodeLayout.DIRECT_BLOCKS + 1);
        walk.follow(inode.block[i] & 0xFFFF_FFFFL, level);
      }
    }
    long taken = walk.taken;
    if (inode.attributeBlock != 0) {
      taken++;
      if (attributeBlocks.merge(inode.attributeBlock, 1, Integer::sum) == 1) {
        budget.charge(SHARED_BYTES);
        claim(inode.number, inode.attributeBlock);
      }
    }
    long sectors = taken << (geometry.blockShift - 9);
    if (inode.sectors != sectors) {
      says.accept(
          "inode " + inode.number + " counts " + inode.sectors + " sectors, has " + sectors);
    }
  }

  /// One inode's tree of pointers.
  private final class Walk {
    private final Inode inode;
    long taken;

    Walk(Inode inode) {
      this.inode = inode;
    }

    void follow(long block, int level) throws IOException {
      if (block == 0 || !claim(inode.number, block)) {
        return;
      }
      taken++;
      if (level == 0) {
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

  /// Compares how many inodes share each block of attributes with what the block says.
  void checkSharing() throws IOException {
    for (var entry : attributeBlocks.entrySet()) {
      try (Buffer buffer = volume.cache.read(entry.getKey())) {
        int references = buffer.getInt(AttributeLayout.REFERENCES);
        if (buffer.getInt(0) != AttributeLayout.MAGIC || references != entry.getValue()) {
          says.accept(
              "block "
                  + entry.getKey()
                  + " of extended attributes counts "
                  + references
                  + " inodes, has "
                  + entry.getValue());
        }
      }
    }
  }
}
