package sluice.fs.ext2;

import java.io.IOException;
import java.util.Arrays;
import java.util.function.Consumer;
import sluice.fs.block.Buffer;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.GroupLayout;

/// Compares the descriptor and the bitmaps of each group with the blocks and inodes that a check
/// has found to be in use. Instances are confined to the checking thread.
///
/// If the image has the feature `uninit_bg` or `metadata_csum`, a group may be flagged as
/// uninitialized. In this case its block bitmap is treated as if only the tables of the group were
/// marked, and all of its inodes are treated as free. A group may also declare that the inodes at
/// the end of its table are unused, in which case they are not read.
final class CheckedGroups {
  private final Volume volume;
  private final Geometry geometry;
  private final Checksums checksums;
  private final Consumer<String> says;

  /// The bitmap that is currently being checked.
  private final byte[] bitmap;

  CheckedGroups(Volume volume, Checksums checksums, Consumer<String> says) {
    this.volume = volume;
    this.checksums = checksums;
    this.says = says;
    geometry = volume.geometry;
    bitmap = new byte[geometry.blockBytes];
  }

  private byte[] descriptor(int group) throws IOException {
    byte[] bytes = new byte[GroupLayout.BYTES];
    try (Buffer buffer = volume.cache.read(geometry.descriptorBlock(group))) {
      buffer.get(geometry.descriptorOffset(group), bytes, 0, bytes.length);
    }
    return bytes;
  }

  private static int field(byte[] descriptor, int at) {
    return (descriptor[at] & 0xFF) | (descriptor[at + 1] & 0xFF) << 8;
  }

  private boolean says(byte[] descriptor, int flag) {
    return checksums.ofGroups() && (field(descriptor, GroupLayout.FLAGS) & flag) != 0;
  }

  /// Checks the fields of a group descriptor.
  void checkDescriptor(int group) throws IOException {
    byte[] d = descriptor(group);
    int flags = field(d, GroupLayout.FLAGS);
    int unused = field(d, GroupLayout.UNUSED_INODES);
    int uninitialized = flags & (GroupLayout.BLOCK_UNINIT | GroupLayout.INODE_UNINIT);
    if (!checksums.ofGroups()) {
      if (uninitialized != 0 || unused != 0) {
        says.accept("group " + group + " says that it was not written, without feature uninit_bg");
      }
      return;
    }
    if (field(d, GroupLayout.CHECKSUM) != checksums.group(group, d)) {
      says.accept("group " + group + ": its descriptor's checksum does not match its bytes");
    }
    if (group == geometry.groups - 1 && (flags & GroupLayout.BLOCK_UNINIT) != 0) {
      says.accept("group " + group + ", the last, says that its bitmap of blocks was not written");
    }
    if (unused > volume.groups.freeInodes(group)) {
      says.accept(
          String.format(
              "group %d says that %d inodes were not written, and counts %d free",
              group, unused, volume.groups.freeInodes(group)));
    }
  }

  /// Returns the number of inodes at the start of a group that may be in use. The inodes after them
  /// were never written.
  int writtenInodes(int group) throws IOException {
    if (!checksums.ofGroups()) {
      return geometry.inodesPerGroup;
    }
    byte[] d = descriptor(group);
    int unused = Math.min(field(d, GroupLayout.UNUSED_INODES), geometry.inodesPerGroup);
    return says(d, GroupLayout.INODE_UNINIT) ? 0 : geometry.inodesPerGroup - unused;
  }

  /// Reads the inode bitmap of the given group.
  void readInodes(int group, byte[] into) throws IOException {
    byte[] d = descriptor(group);
    if (says(d, GroupLayout.INODE_UNINIT)) {
      Arrays.fill(into, (byte) 0);
      fillPadding(into, geometry.inodesPerGroup);
      return;
    }
    try (Buffer buffer = volume.cache.read(volume.groups.inodeBitmap(group))) {
      buffer.get(0, into, 0, into.length);
    }
  }

  private static void fillPadding(byte[] bits, int from) {
    for (int bit = from; bit < 8 * bits.length; bit++) {
      bits[bit >> 3] |= (byte) (1 << (bit & 7));
    }
  }

  static boolean isMarked(byte[] bits, int bit) {
    return (bits[bit >> 3] >> (bit & 7) & 1) != 0;
  }

  private void checkPadding(int group, String what, int from) {
    int bit = from;
    while (bit < 8 * bitmap.length && isMarked(bitmap, bit)) {
      bit++;
    }
    if (bit < 8 * bitmap.length) {
      says.accept("group " + group + ": the bitmap of " + what + " is not filled at its end");
    }
  }

  private void checkSum(int group, String what, int bits, int stored) {
    if (checksums.everywhere() && stored != checksums.bitmap(bitmap, bits)) {
      says.accept("group " + group + ": the checksum of its bitmap of " + what + " is wrong");
    }
  }

  /// Checks both bitmaps of a group and compares them with the blocks and inodes that are in use.
  ///
  /// @return the number of free blocks in the group, plus the number of free inodes shifted left by
  ///   32
  long check(int group, ClaimedBlocks claims, CheckedInodes inodes) throws IOException {
    byte[] d = descriptor(group);
    int free = checkBlocks(group, d, claims);
    compare(group, "blocks", volume.groups.freeBlocks(group), free);
    readInodes(group, bitmap);
    if (!says(d, GroupLayout.INODE_UNINIT)) {
      checkPadding(group, "inodes", geometry.inodesPerGroup);
      int stored = field(d, GroupLayout.INODE_BITMAP_CHECKSUM);
      checkSum(group, "inodes", geometry.inodesPerGroup, stored);
    }
    int freeInodes = 0;
    int written = writtenInodes(group);
    for (int i = 0; i < geometry.inodesPerGroup; i++) {
      boolean marked = isMarked(bitmap, i);
      freeInodes += marked ? 0 : 1;
      long number = (long) group * geometry.inodesPerGroup + i + 1;
      if (i >= written && marked && number >= geometry.firstInode) {
        says.accept("inode " + number + " is marked in use, and was never written");
      }
    }
    compare(group, "inodes", volume.groups.freeInodes(group), freeInodes);
    int found = inodes.directories(group);
    int counted = volume.groups.directories(group);
    if (counted != found) {
      says.accept("group " + group + " counts " + counted + " directories, has " + found);
    }
    return (long) freeInodes << 32 | free;
  }

  private void compare(int group, String what, int counted, int found) {
    if (counted != found) {
      says.accept("group " + group + " counts " + counted + " free " + what + ", has " + found);
    }
  }

  /// Checks the block bitmap of a group. Returns the number of blocks that it marks as free.
  private int checkBlocks(int group, byte[] descriptor, ClaimedBlocks claims) throws IOException {
    int count = geometry.groupBlocks(group);
    long start = geometry.groupStart(group);
    boolean unwritten = says(descriptor, GroupLayout.BLOCK_UNINIT);
    if (!unwritten) {
      try (Buffer buffer = volume.cache.read(volume.groups.blockBitmap(group))) {
        buffer.get(0, bitmap, 0, bitmap.length);
      }
      checkPadding(group, "blocks", count);
      int stored = field(descriptor, GroupLayout.BLOCK_BITMAP_CHECKSUM);
      checkSum(group, "blocks", geometry.blocksPerGroup, stored);
    }
    int free = 0;
    for (int bit = 0; bit < count; bit++) {
      long block = start + bit;
      boolean table = volume.groups.isMetadata(block) || geometry.isReservedDescriptor(block);
      boolean marked = unwritten ? table : isMarked(bitmap, bit);
      boolean used = table || claims.isClaimed(block);
      free += marked ? 0 : 1;
      if (used && !marked) {
        says.accept("block " + block + " is in use, but marked free");
      } else if (marked && !used) {
        says.accept("block " + block + " is free, but marked in use");
      }
    }
    return free;
  }

  /// Reports tables of a group that overlap each other, or that overlap the descriptor blocks that
  /// are reserved for growing the file system.
  void checkTables(int group) {
    long[] tables = {
      volume.groups.blockBitmap(group),
      volume.groups.inodeBitmap(group),
      volume.groups.inodeTable(group)
    };
    Arrays.sort(tables);
    for (int i = 0; i < tables.length; i++) {
      int bytes = tables[i] == volume.groups.inodeTable(group) ? geometry.inodeTableBlocks() : 1;
      boolean meets = i + 1 < tables.length && tables[i] + bytes > tables[i + 1];
      int bit = (int) (tables[i] - geometry.groupStart(group));
      int kept = 1 + geometry.descriptorBlocks() + geometry.reservedDescriptorBlocks;
      if (meets || (geometry.hasSuperblock(group) && bit < kept)) {
        says.accept("group " + group + ": its table at block " + tables[i] + " meets another");
      }
    }
  }
}
