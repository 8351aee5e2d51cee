package sluice.fs.ext2.layout;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// The geometry of an image according to its superblock, which has been checked for consistency and
/// against the size of the device. Instances are immutable and thread-safe.
public final class Geometry {
  private static final int MAX_GROUPS = 1 << 20;

  public final int blockBytes;
  public final int blockShift;
  public final long blocks;
  public final long reservedBlocks;
  public final int inodes;
  public final int firstDataBlock;
  public final int blocksPerGroup;

  /// The base-2 logarithm of [#blocksPerGroup] if it is a power of two, which is usually the case
  /// and avoids a division, or -1.
  private final int groupShift;

  public final int inodesPerGroup;
  public final int groups;
  public final int revision;
  public final int firstInode;
  public final int inodeBytes;
  public final int extraBytes;
  public final int compatible;
  public final int incompatible;
  public final int readOnlyCompatible;
  public final int reservedUid;
  public final int reservedGid;
  public final int journalInode;

  /// The hash function for new hash trees in the numbering of [DirectoryHash]. It is -1 if no trees
  /// are created because the image does not have `dir_index`, or because the superblock does not
  /// specify whether bytes are signed.
  public final int nameHash;

  public final int[] hashSeed = new int[4];
  public final boolean hashUnsigned;
  private final long maxFileBytes;
  public final byte[] uuid;

  /// The number of blocks after each descriptor table that are reserved for its growth. They belong
  /// to inode 7.
  public final int reservedDescriptorBlocks;

  /// True if inodes contain the Hurd's translators in the field that Linux uses for a version.
  public final boolean hurd;

  private Geometry(byte[] superblock, ByteBuffer s) {
    int shift = s.getInt(SuperblockLayout.LOG_BLOCK_SIZE);
    blockShift = 10 + shift;
    blockBytes = 1 << blockShift;
    blocks = unsigned(s, SuperblockLayout.BLOCKS_COUNT);
    reservedBlocks = unsigned(s, SuperblockLayout.RESERVED_BLOCKS);
    inodes = s.getInt(SuperblockLayout.INODES_COUNT);
    firstDataBlock = s.getInt(SuperblockLayout.FIRST_DATA_BLOCK);
    blocksPerGroup = s.getInt(SuperblockLayout.BLOCKS_PER_GROUP);
    boolean powerOfTwo = Integer.bitCount(blocksPerGroup) == 1;
    groupShift = powerOfTwo ? Integer.numberOfTrailingZeros(blocksPerGroup) : -1;
    inodesPerGroup = s.getInt(SuperblockLayout.INODES_PER_GROUP);
    groups = blocksPerGroup <= 0 ? 0 : (int) groupsOf(blocks - firstDataBlock, blocksPerGroup);
    hurd = s.getInt(SuperblockLayout.CREATOR_OS) == SuperblockLayout.OS_HURD;
    revision = s.getInt(SuperblockLayout.REVISION);
    boolean old = revision == 0;
    firstInode = old ? 11 : s.getInt(SuperblockLayout.FIRST_INODE);
    inodeBytes = old ? 128 : s.getShort(SuperblockLayout.INODE_SIZE) & 0xFFFF;
    compatible = old ? 0 : s.getInt(SuperblockLayout.COMPATIBLE);
    incompatible = old ? 0 : s.getInt(SuperblockLayout.INCOMPATIBLE);
    readOnlyCompatible = old ? 0 : s.getInt(SuperblockLayout.READ_ONLY_COMPATIBLE);
    reservedUid = s.getShort(SuperblockLayout.RESERVED_UID) & 0xFFFF;
    reservedGid = s.getShort(SuperblockLayout.RESERVED_GID) & 0xFFFF;
    journalInode = has(Features.HAS_JOURNAL) ? s.getInt(SuperblockLayout.JOURNAL_INODE) : 0;
    int hashVersion = s.get(SuperblockLayout.HASH_VERSION) & 0xFF;
    for (int i = 0; i < hashSeed.length; i++) {
      hashSeed[i] = s.getInt(SuperblockLayout.HASH_SEED + 4 * i);
    }
    int flags = s.getInt(SuperblockLayout.FLAGS);
    hashUnsigned = (flags & SuperblockLayout.FLAG_UNSIGNED_HASH) != 0;
    boolean told = hashUnsigned || (flags & SuperblockLayout.FLAG_SIGNED_HASH) != 0;
    boolean trees = told && hashVersion <= DirectoryHash.TEA && has(Features.DIR_INDEX);
    nameHash = !trees ? -1 : hashUnsigned ? hashVersion + DirectoryHash.UNSIGNED : hashVersion;
    uuid = Arrays.copyOfRange(superblock, SuperblockLayout.UUID, SuperblockLayout.UUID + 16);
    reservedDescriptorBlocks = extraField(s, SuperblockLayout.RESERVED_GDT_BLOCKS);
    int wanted = Math.max(extraField(s, SuperblockLayout.WANT_EXTRA_SIZE), 0);
    int most = inodeBytes - InodeLayout.GOOD_OLD_BYTES;
    maxFileBytes = blockBytes >= 1024 ? longestFile() : 0; // impossible values are rejected later
    extraBytes = most < 4 ? 0 : Math.min(most, wanted >= 4 ? wanted : most < 32 ? 4 : 32) & ~3;
  }

  private static int extraField(ByteBuffer s, int offset) {
    return s.getShort(offset) & 0xFFFF;
  }

  private static long groupsOf(long blocks, int perGroup) {
    return Math.min(MAX_GROUPS + 1L, Math.max(0, (blocks + perGroup - 1) / perGroup));
  }

  private static long unsigned(ByteBuffer s, int offset) {
    return s.getInt(offset) & 0xFFFF_FFFFL;
  }

  /// Parses and validates a superblock.
  ///
  /// @param superblock the 1024 bytes of the superblock
  /// @param deviceBytes the length of the device
  /// @throws FsException `EINVAL` if this is not ext2 or has unknown features, or `EUCLEAN` if the
  ///   superblock is inconsistent
  public static Geometry of(byte[] superblock, long deviceBytes) throws FsException {
    ByteBuffer s = ByteBuffer.wrap(superblock).order(ByteOrder.LITTLE_ENDIAN);
    int magic = s.getShort(SuperblockLayout.MAGIC) & 0xFFFF;
    if (magic != SuperblockLayout.MAGIC_VALUE) {
      throw FsException.of(
          Errno.EINVAL,
          String.format(
              "no ext2 file system: magic number 0x%04x at byte 1080 instead of 0xef53; Fix: give"
                  + " an image made by sluice fs mkfs or mke2fs",
              magic));
    }
    int shift = s.getInt(SuperblockLayout.LOG_BLOCK_SIZE);
    if (shift < 0 || shift > 2) {
      throw FsException.of(
          Errno.EINVAL,
          "block size 2^" + (10L + shift) + " bytes; Fix: make the image with 1024, 2048 or 4096");
    }
    Geometry g = new Geometry(superblock, s);
    if (g.revision < 0 || g.revision > 1) {
      throw FsException.of(Errno.EINVAL, "revision " + g.revision + " of ext2, only 0 and 1 exist");
    }
    int unknown = Features.unknownIncompatible(g.incompatible);
    if (unknown != 0) {
      throw FsException.of(
          Errno.EINVAL,
          "the image has features that we do not know: "
              + Features.incompatible(unknown)
              + "; Fix: make it with mke2fs -t ext2 or -t ext3");
    }
    if (g.has(Features.SPARSE_SUPER_2)) {
      throw FsException.of(
          Errno.EINVAL,
          "the image has a feature that we do not know: sparse_super2; Fix: make it with"
              + " mke2fs -t ext2");
    }
    g.check(deviceBytes);
    return g;
  }

  private void check(long deviceBytes) throws FsException {
    require(firstDataBlock == (blockBytes == 1024 ? 1 : 0), "first data block", firstDataBlock);
    require(blocks > firstDataBlock + 3L, "number of blocks", blocks);
    require(blocks <= deviceBytes >> blockShift, "number of blocks on a shorter device", blocks);
    require(
        blocksPerGroup >= 8 && blocksPerGroup <= 8 * blockBytes && blocksPerGroup % 8 == 0,
        "blocks per group",
        blocksPerGroup);
    require(
        inodeBytes >= 128 && inodeBytes <= blockBytes && Integer.bitCount(inodeBytes) == 1,
        "inode size",
        inodeBytes);
    require(
        inodesPerGroup > 0
            && inodesPerGroup <= 8 * blockBytes
            && inodesPerGroup % inodesPerBlock() == 0,
        "inodes per group",
        inodesPerGroup);
    require(groups > 0 && groups <= MAX_GROUPS, "number of groups", groups);
    requireRoomForTables();
    require(inodes == (long) inodesPerGroup * groups, "number of inodes", inodes);
    require(firstInode > InodeLayout.JOURNAL && firstInode < inodes, "first inode", firstInode);
    require(journalInode >= 0 && journalInode <= inodes, "journal inode", journalInode);
    require(reservedBlocks <= blocks, "reserved blocks", reservedBlocks);
  }

  /// Checks that the tables fit into the groups. Without meta_bg, all descriptors are in the first
  /// group, and without flex_bg, each group contains its own bitmaps and inodes. Therefore an image
  /// cannot declare more groups or inodes than fit on its device, and the memory for each of them
  /// is a small fraction of the device: a group requires about 60 bytes of memory in a mount, and
  /// at least 12 KB on the device including its descriptor.
  private void requireRoomForTables() throws FsException {
    int tables = 2 + inodeTableBlocks();
    require(tables <= groupBlocks(groups - 1), "inodes in the last group", inodesPerGroup);
    require(1L + descriptorBlocks() + tables <= groupBlocks(0), "number of groups", groups);
  }

  private void require(boolean good, String what, long value) throws FsException {
    if (!good) {
      int block = blockBytes == 1024 ? 1 : 0; // where the superblock is, whatever it says
      throw FsException.corrupt(0, block, "superblock: impossible " + what + ": " + value);
    }
  }

  /// Returns true if the image has the given compatible feature.
  public boolean has(int compatibleFeature) {
    return (compatible & compatibleFeature) != 0;
  }

  /// Returns true if directory entries contain the kind of the file.
  public boolean entryTypes() {
    return (incompatible & Features.FILETYPE) != 0;
  }

  /// Returns true if all metadata has checksums.
  public boolean checksumsEverywhere() {
    return (readOnlyCompatible & Features.METADATA_CSUM) != 0;
  }

  /// Returns the reason why the image can only be read, or an empty string if it can be written.
  public String whyReadOnly() {
    int unknown = Features.unknownReadOnly(readOnlyCompatible);
    return unknown == 0
        ? ""
        : "the image has features that only allow reading it: "
            + Features.readOnlyCompatible(unknown);
  }

  public int inodesPerBlock() {
    return blockBytes / inodeBytes;
  }

  public int inodeTableBlocks() {
    return inodesPerGroup / inodesPerBlock();
  }

  public int descriptorsPerBlock() {
    return blockBytes / GroupLayout.BYTES;
  }

  public int descriptorBlocks() {
    return (groups + descriptorsPerBlock() - 1) / descriptorsPerBlock();
  }

  /// Returns the block of the primary superblock.
  public long superblockBlock() {
    return firstDataBlock;
  }

  /// Returns the offset of the superblock in its block, in bytes.
  public int superblockOffset() {
    return blockBytes == 1024 ? 0 : SuperblockLayout.POSITION;
  }

  /// Returns the block of the descriptor table that contains the descriptor of a group.
  public long descriptorBlock(int group) {
    return firstDataBlock + 1L + group / descriptorsPerBlock();
  }

  public int descriptorOffset(int group) {
    return group % descriptorsPerBlock() * GroupLayout.BYTES;
  }

  public long groupStart(int group) {
    return firstDataBlock + (long) group * blocksPerGroup;
  }

  /// Returns the number of blocks in a group. The last group may have fewer blocks than the others.
  public int groupBlocks(int group) {
    return (int) Math.min(blocksPerGroup, blocks - groupStart(group));
  }

  public int groupOfBlock(long block) {
    long content = block - firstDataBlock;
    return (int)
        (groupShift >= 0 && content >= 0 ? content >> groupShift : content / blocksPerGroup);
  }

  public int groupOfInode(long inode) {
    return (int) ((inode - 1) / inodesPerGroup);
  }

  /// Returns true if a group begins with a copy of the superblock and the descriptors.
  public boolean hasSuperblock(int group) {
    if ((readOnlyCompatible & Features.SPARSE_SUPER) == 0 || group <= 1) {
      return true;
    }
    return isPower(group, 3) || isPower(group, 5) || isPower(group, 7);
  }

  /// Returns true if a block is reserved for the growth of a descriptor table.
  public boolean isReservedDescriptor(long block) {
    int group = groupOfBlock(block);
    long place = block - groupStart(group) - 1 - descriptorBlocks();
    return place >= 0 && place < reservedDescriptorBlocks && hasSuperblock(group);
  }

  private static boolean isPower(int value, int base) {
    long power = base;
    while (power < value) {
      power *= base;
    }
    return power == value;
  }

  /// Returns the number of block numbers in an indirect block.
  public int pointersPerBlock() {
    return blockBytes >> 2;
  }

  /// Returns the maximum length of a file. It is limited by the three levels of indirect blocks and
  /// by 2^32 sectors including indirect blocks. In images of revision 0, which do not have the
  /// feature large_file, it is also less than 2^31 bytes.
  public long maxFileBytes() {
    return maxFileBytes;
  }

  private long longestFile() {
    long pointers = pointersPerBlock();
    long byLevels =
        InodeLayout.DIRECT_BLOCKS + pointers + pointers * pointers + pointers * pointers * pointers;
    long blocksOfSectors = 0xFFFF_FFFFL >> (blockShift - 9);
    long indirect = blocksOfSectors / pointers + blocksOfSectors / (pointers * pointers) + 3;
    long most = Math.min(byLevels, blocksOfSectors - indirect) << blockShift;
    return revision > 0 ? most : Math.min(most, Integer.MAX_VALUE);
  }

  /// Returns the maximum number of blocks of a file.
  public long maxFileBlocks() {
    return (maxFileBytes() + blockBytes - 1) >> blockShift;
  }
}
