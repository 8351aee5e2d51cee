package sluice.fs.ext2;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import sluice.fs.ext2.layout.AttributeLayout;
import sluice.fs.ext2.layout.EntryBytes;
import sluice.fs.ext2.layout.EntryLayout;
import sluice.fs.ext2.layout.Features;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.GroupLayout;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.fs.ext2.layout.SuperblockLayout;

/// Computes the checksums of images that have the feature `metadata_csum` or `uninit_bg`. The
/// checksums are used only for checking because Sluice does not write to images with these
/// features. Instances are immutable and thread-safe.
///
/// The format is described in the kernel's `Documentation/filesystems/ext4/checksums.rst`. The
/// checksum is a CRC32C without the final inversion that is seeded with the UUID. Images that have
/// only `uninit_bg` use a CRC16 of the group descriptors instead. Because Java's CRC32C inverts its
/// result, the UUID is processed before the data and the result is inverted again.
final class Checksums {
  /// The value of `s_checksum_type` that denotes CRC32C.
  static final int TYPE_CRC32C = 1;

  private static final int CRC16_POLYNOMIAL = 0xA001;

  private final byte[] uuid;
  private final boolean everywhere;
  private final boolean groups;

  Checksums(Geometry geometry) {
    uuid = geometry.uuid;
    everywhere = (geometry.readOnlyCompatible & Features.METADATA_CSUM) != 0;
    groups = everywhere || (geometry.readOnlyCompatible & Features.UNINIT_BG) != 0;
  }

  /// Returns true if all metadata structures have checksums (`metadata_csum`).
  boolean everywhere() {
    return everywhere;
  }

  /// Returns true if group descriptors have checksums and may be flagged as uninitialized.
  boolean ofGroups() {
    return groups;
  }

  private static byte[] little(long value, int bytes) {
    byte[] little = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      little[i] = (byte) (value >>> (8 * i));
    }
    return little;
  }

  private CRC32C seeded() {
    CRC32C crc = new CRC32C();
    crc.update(uuid);
    return crc;
  }

  /// Returns a checksum to which the number and the generation of an inode have already been added.
  private CRC32C ofInode(long inode, int generation) {
    CRC32C crc = seeded();
    crc.update(little(inode, 4));
    crc.update(little(generation, 4));
    return crc;
  }

  private static void zeros(CRC32C crc, int count) {
    for (int i = 0; i < count; i++) {
      crc.update(0);
    }
  }

  private static int value(CRC32C crc) {
    return ~(int) crc.getValue();
  }

  /// Returns the checksum of a superblock.
  ///
  /// @param superblock the 1024 bytes of the superblock
  static int superblock(byte[] superblock) {
    CRC32C crc = new CRC32C();
    crc.update(superblock, 0, SuperblockLayout.CHECKSUM);
    return value(crc);
  }

  /// Returns the checksum of a group descriptor.
  ///
  /// @param descriptor the 32 bytes of the descriptor
  int group(int number, byte[] descriptor) {
    if (!everywhere) {
      int crc = crc16(0xFFFF, uuid, uuid.length);
      crc = crc16(crc, little(number, 4), 4);
      return crc16(crc, descriptor, GroupLayout.CHECKSUM);
    }
    CRC32C crc = seeded();
    crc.update(little(number, 4));
    crc.update(descriptor, 0, GroupLayout.CHECKSUM);
    zeros(crc, 2);
    return value(crc) & 0xFFFF;
  }

  private static int crc16(int begin, byte[] bytes, int count) {
    int crc = begin;
    for (int i = 0; i < count; i++) {
      crc ^= bytes[i] & 0xFF;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 1) != 0 ? crc >>> 1 ^ CRC16_POLYNOMIAL : crc >>> 1;
      }
    }
    return crc;
  }

  /// Returns the low half of the checksum of a group's bitmap. A 32-byte descriptor has space only
  /// for the low half.
  int bitmap(byte[] bitmap, int bits) {
    CRC32C crc = seeded();
    crc.update(bitmap, 0, bits / 8);
    return value(crc) & 0xFFFF;
  }

  /// Returns the checksum of an inode. The checksum fields of the inode are treated as zeros.
  int inode(long number, byte[] bytes, int at, int inodeBytes) {
    ByteBuffer b = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    CRC32C crc = ofInode(number, b.getInt(at + InodeLayout.GENERATION));
    crc.update(bytes, at, InodeLayout.CHECKSUM);
    zeros(crc, 2);
    int from = InodeLayout.CHECKSUM + 2;
    if (hasHighHalf(b, at, inodeBytes)) {
      crc.update(bytes, at + from, InodeLayout.CHECKSUM_HIGH - from);
      zeros(crc, 2);
      from = InodeLayout.CHECKSUM_HIGH + 2;
    }
    crc.update(bytes, at + from, inodeBytes - from);
    return value(crc);
  }

  private static boolean hasHighHalf(ByteBuffer b, int at, int inodeBytes) {
    int extra = inodeBytes > InodeLayout.GOOD_OLD_BYTES ? b.getShort(at + 128) & 0xFFFF : 0;
    return extra >= InodeLayout.CHECKSUM_HIGH + 2 - InodeLayout.GOOD_OLD_BYTES;
  }

  /// Returns true if the checksum of an inode is correct. An inode that consists only of zeros was
  /// never written and has no checksum.
  boolean inodeFits(long number, byte[] bytes, int at, int inodeBytes) {
    ByteBuffer b = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int sum = inode(number, bytes, at, inodeBytes);
    boolean low = (b.getShort(at + InodeLayout.CHECKSUM) & 0xFFFF) == (sum & 0xFFFF);
    boolean high =
        !hasHighHalf(b, at, inodeBytes)
            || (b.getShort(at + InodeLayout.CHECKSUM_HIGH) & 0xFFFF) == sum >>> 16;
    if (low && high) {
      return true;
    }
    for (int i = at; i < at + inodeBytes; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return true;
  }

  /// Returns the checksum of a block of directory entries, which does not cover the tail of the
  /// block.
  int entries(Inode directory, byte[] block) {
    CRC32C crc = ofInode(directory.number, directory.generation);
    crc.update(block, 0, block.length - EntryLayout.TAIL_BYTES);
    return value(crc);
  }

  /// Returns the checksum of a hash tree node, which covers the head, the entries in use, and the
  /// first half of the tail.
  ///
  /// @param start the offset of the entries
  int node(Inode directory, byte[] block, int start) {
    ByteBuffer b = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
    int limit = b.getShort(start) & 0xFFFF;
    int count = b.getShort(start + 2) & 0xFFFF;
    CRC32C crc = ofInode(directory.number, directory.generation);
    crc.update(block, 0, start + count * EntryLayout.DX_ENTRY_BYTES);
    crc.update(block, start + limit * EntryLayout.DX_ENTRY_BYTES, 4);
    zeros(crc, 4);
    return value(crc);
  }

  /// Returns true if the checksum of a directory block is correct. In a block of entries, the
  /// checksum is stored in a tail that is formatted as an entry. In a tree node, it is stored after
  /// the last entry slot.
  boolean directoryFits(Inode directory, byte[] block) {
    ByteBuffer b = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
    int tail = block.length - EntryLayout.TAIL_BYTES;
    boolean leaf = b.getInt(tail) == 0 && b.getInt(tail + 4) == EntryLayout.TAIL_HEAD;
    if (leaf) {
      return b.getInt(tail + 8) == entries(directory, block);
    }
    boolean node = EntryBytes.recordLength(block, 0) == block.length;
    int start = node ? EntryLayout.DX_NODE_ENTRIES : EntryLayout.DX_ROOT_ENTRIES;
    int limit = b.getShort(start) & 0xFFFF;
    int count = b.getShort(start + 2) & 0xFFFF;
    int behind = start + limit * EntryLayout.DX_ENTRY_BYTES;
    return count <= limit
        && behind + EntryLayout.DX_TAIL_BYTES <= block.length
        && b.getInt(behind + 4) == node(directory, block, start);
  }

  /// Returns the checksum of a block of extended attributes. The checksum field of the block is
  /// treated as zeros.
  int attributes(long number, byte[] block) {
    CRC32C crc = seeded();
    crc.update(little(number, 8));
    crc.update(block, 0, AttributeLayout.CHECKSUM);
    zeros(crc, 4);
    int from = AttributeLayout.CHECKSUM + 4;
    crc.update(block, from, block.length - from);
    return value(crc);
  }
}
