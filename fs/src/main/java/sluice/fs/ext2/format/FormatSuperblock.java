package sluice.fs.ext2.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import sluice.fs.FsException;
import sluice.fs.ext2.layout.DirectoryHash;
import sluice.fs.ext2.layout.Features;
import sluice.fs.ext2.layout.GroupLayout;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.fs.ext2.layout.SuperblockLayout;
import sluice.sys.Errno;

/// Creates the superblock of a new file system. This class is stateless and thread-safe.
final class FormatSuperblock {
  static final int INODE_BYTES = 256;
  static final int LOST_AND_FOUND = 11;

  private FormatSuperblock() {}

  /// Returns the 1024 bytes of a superblock without the free counts.
  ///
  /// @throws FsException `ENOSPC` if the device is too small
  static byte[] of(FormatOptions options, long deviceBlocks, int now) throws FsException {
    int block = options.blockBytes();
    int perGroup = 8 * block;
    int first = block == 1024 ? 1 : 0;
    long blocks = Math.min(deviceBlocks, 0xFFFF_FFFFL);
    long smallest = 64L + options.journalBlocks() + options.journalBlocks() / 64;
    if (blocks < smallest) {
      throw FsException.of(
          Errno.ENOSPC, "a device of " + blocks + " blocks; Fix: give at least " + smallest);
    }
    long groups = (blocks - first + perGroup - 1) / perGroup;
    int perTableBlock = block / INODE_BYTES;
    int step = Math.max(8, perTableBlock);
    long wanted = blocks * block / options.bytesPerInode() / groups;
    int inodes = ((int) Math.clamp(wanted, 16, 8L * block - step) + step - 1) & -step;
    long descriptors = (groups * GroupLayout.BYTES + block - 1) / block;
    long last = (blocks - first) % perGroup;
    if (groups > 1 && last != 0 && last < 3 + descriptors + inodes / perTableBlock + 50) {
      // The last group is omitted if it is too small for its own tables.
      blocks -= last;
      groups--;
    }
    if (groups * inodes > Integer.MAX_VALUE) {
      throw FsException.of(Errno.EINVAL, "more than 2^31 inodes; Fix: more bytes per inode");
    }
    byte[] bytes = new byte[SuperblockLayout.BYTES];
    ByteBuffer s = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    s.putInt(SuperblockLayout.INODES_COUNT, (int) groups * inodes);
    s.putInt(SuperblockLayout.BLOCKS_COUNT, (int) blocks);
    s.putInt(SuperblockLayout.RESERVED_BLOCKS, (int) (blocks * options.reservedPercent() / 100));
    s.putInt(SuperblockLayout.FIRST_DATA_BLOCK, first);
    int shift = Integer.numberOfTrailingZeros(block) - 10;
    s.putInt(SuperblockLayout.LOG_BLOCK_SIZE, shift);
    s.putInt(SuperblockLayout.LOG_FRAGMENT_SIZE, shift);
    s.putInt(SuperblockLayout.BLOCKS_PER_GROUP, perGroup);
    s.putInt(SuperblockLayout.FRAGMENTS_PER_GROUP, perGroup);
    s.putInt(SuperblockLayout.INODES_PER_GROUP, inodes);
    fill(s, options, now);
    return bytes;
  }

  private static void fill(ByteBuffer s, FormatOptions options, int now) {
    s.putInt(SuperblockLayout.WRITE_TIME, now);
    s.putShort(SuperblockLayout.MAX_MOUNT_COUNT, (short) -1);
    s.putShort(SuperblockLayout.MAGIC, (short) SuperblockLayout.MAGIC_VALUE);
    s.putShort(SuperblockLayout.STATE, (short) SuperblockLayout.STATE_VALID);
    s.putShort(SuperblockLayout.ERRORS, (short) 1);
    s.putInt(SuperblockLayout.LAST_CHECK, now);
    s.putInt(SuperblockLayout.REVISION, 1);
    s.putInt(SuperblockLayout.FIRST_INODE, LOST_AND_FOUND);
    s.putShort(SuperblockLayout.INODE_SIZE, (short) INODE_BYTES);
    int journal = options.journalBlocks() == 0 ? 0 : Features.HAS_JOURNAL;
    s.putInt(SuperblockLayout.COMPATIBLE, Features.EXT_ATTR | Features.DIR_INDEX | journal);
    s.putInt(SuperblockLayout.INCOMPATIBLE, Features.FILETYPE);
    s.putInt(SuperblockLayout.READ_ONLY_COMPATIBLE, Features.SPARSE_SUPER | Features.LARGE_FILE);
    s.put(SuperblockLayout.UUID, options.uuidBytes());
    s.put(SuperblockLayout.VOLUME_NAME, options.label().getBytes(StandardCharsets.UTF_8));
    if (journal != 0) {
      s.putInt(SuperblockLayout.JOURNAL_INODE, InodeLayout.JOURNAL);
    }
    for (int i = 0; i < 4; i++) {
      s.putInt(SuperblockLayout.HASH_SEED + 4 * i, ThreadLocalRandom.current().nextInt() | 1);
    }
    s.put(SuperblockLayout.HASH_VERSION, (byte) DirectoryHash.HALF_MD4);
    s.putInt(SuperblockLayout.MKFS_TIME, now);
    s.putShort(SuperblockLayout.MIN_EXTRA_SIZE, (short) InodeLayout.WANTED_EXTRA_SIZE);
    s.putShort(SuperblockLayout.WANT_EXTRA_SIZE, (short) InodeLayout.WANTED_EXTRA_SIZE);
    s.putInt(SuperblockLayout.FLAGS, SuperblockLayout.FLAG_SIGNED_HASH);
    s.putInt(SuperblockLayout.DEFAULT_MOUNT_OPTIONS, 0xC); // user_xattr and acl, as mke2fs
  }

  /// Stores a backup copy of the location of the journal.
  static void backUpJournal(byte[] superblock, int[] map, long bytes) {
    ByteBuffer s = ByteBuffer.wrap(superblock).order(ByteOrder.LITTLE_ENDIAN);
    s.put(SuperblockLayout.JOURNAL_BACKUP_TYPE, (byte) 1);
    for (int i = 0; i < map.length; i++) {
      s.putInt(SuperblockLayout.JOURNAL_BLOCKS + 4 * i, map[i]);
    }
    s.putInt(SuperblockLayout.JOURNAL_BLOCKS + 4 * 15, (int) (bytes >>> 32));
    s.putInt(SuperblockLayout.JOURNAL_BLOCKS + 4 * 16, (int) bytes);
  }
}
