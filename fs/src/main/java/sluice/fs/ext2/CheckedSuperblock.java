package sluice.fs.ext2;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import sluice.fs.ext2.layout.Features;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.fs.ext2.layout.SuperblockLayout;

/// Checks the consistency of the fields of a superblock, except for the fields that [Geometry]
/// validates in order to read the image. Instances are confined to the checking thread.
final class CheckedSuperblock {
  private static final int MAX_DESCRIPTOR_BYTES = 1024;
  private static final int MAX_FLEX_SHIFT = 31;
  private static final int LEAST_EXTRA_BYTES = 4;

  private final Geometry geometry;
  private final byte[] bytes;
  private final ByteBuffer s;
  private final Consumer<String> says;

  /// Creates a check of the given superblock.
  ///
  /// @param bytes the 1024 bytes of the superblock
  CheckedSuperblock(Geometry geometry, byte[] bytes, Consumer<String> says) {
    this.geometry = geometry;
    this.bytes = bytes;
    this.says = says;
    s = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private int unsignedShort(int field) {
    return s.getShort(field) & 0xFFFF;
  }

  private void require(boolean good, String field, long value) {
    if (!good) {
      says.accept("the superblock's " + field + " is " + value);
    }
  }

  void check() {
    checkState();
    checkShape();
    checkExtraSize("s_min_extra_isize", unsignedShort(SuperblockLayout.MIN_EXTRA_SIZE));
    checkExtraSize("s_want_extra_isize", unsignedShort(SuperblockLayout.WANT_EXTRA_SIZE));
    checkChecksum();
    checkJournal();
  }

  private void checkState() {
    int state = s.getShort(SuperblockLayout.STATE);
    if ((state & SuperblockLayout.STATE_VALID) == 0) {
      says.accept("it was not unmounted cleanly");
    }
    if ((state & SuperblockLayout.STATE_ERROR) != 0) {
      says.accept("errors were found while it was mounted");
    }
    int orphan = s.getInt(SuperblockLayout.LAST_ORPHAN);
    if (orphan != 0) {
      says.accept(
          "files without a name wait to be freed, first inode " + Integer.toUnsignedString(orphan));
    }
  }

  private void checkShape() {
    int fragments = s.getInt(SuperblockLayout.LOG_FRAGMENT_SIZE);
    require(fragments == geometry.blockShift - 10, "s_log_cluster_size", fragments);
    int perGroup = s.getInt(SuperblockLayout.FRAGMENTS_PER_GROUP);
    require(perGroup == geometry.blocksPerGroup, "s_clusters_per_group", perGroup);
    require(
        geometry.reservedBlocks <= geometry.blocks / 2,
        "s_r_blocks_count",
        geometry.reservedBlocks);
    int descriptor = unsignedShort(SuperblockLayout.DESCRIPTOR_SIZE);
    boolean power = Integer.bitCount(descriptor) <= 1;
    require(power && descriptor <= MAX_DESCRIPTOR_BYTES, "s_desc_size", descriptor);
    int flexible = bytes[SuperblockLayout.LOG_GROUPS_PER_FLEX] & 0xFF;
    require(flexible <= MAX_FLEX_SHIFT, "s_log_groups_per_flex", flexible);
    int features =
        s.getInt(SuperblockLayout.COMPATIBLE)
            | s.getInt(SuperblockLayout.INCOMPATIBLE)
            | s.getInt(SuperblockLayout.READ_ONLY_COMPATIBLE);
    if (geometry.revision == 0 && features != 0) {
      says.accept("the superblock has features, and its revision 0 has none");
    }
    int reserved = geometry.reservedDescriptorBlocks;
    boolean growing = geometry.has(Features.RESIZE_INODE);
    int most = growing ? geometry.pointersPerBlock() : 0;
    require(reserved <= most, "s_reserved_gdt_blocks", reserved);
  }

  private void checkExtraSize(String field, int value) {
    int room = geometry.inodeBytes - InodeLayout.GOOD_OLD_BYTES;
    boolean good = value >= LEAST_EXTRA_BYTES && value <= room && value % 4 == 0;
    require(room == 0 || value == 0 || good, field, value);
  }

  private void checkChecksum() {
    if (!geometry.checksumsEverywhere()) {
      return;
    }
    if ((geometry.readOnlyCompatible & Features.UNINIT_BG) != 0) {
      says.accept("the superblock has both features uninit_bg and metadata_csum");
    }
    int type = bytes[SuperblockLayout.CHECKSUM_TYPE];
    require(type == Checksums.TYPE_CRC32C, "s_checksum_type", type);
    if (s.getInt(SuperblockLayout.CHECKSUM) != Checksums.superblock(bytes)) {
      says.accept("the superblock's checksum does not match its bytes");
    }
  }

  /// Reports a superblock that refers to a journal without having the journal feature, or that has
  /// the feature but does not refer to exactly one journal.
  private void checkJournal() {
    boolean inInode = s.getInt(SuperblockLayout.JOURNAL_INODE) != 0;
    boolean named = false;
    for (int i = 0; i < 16; i++) {
      named |= bytes[SuperblockLayout.JOURNAL_UUID + i] != 0;
    }
    if (!geometry.has(Features.HAS_JOURNAL)) {
      if (inInode || named || s.getInt(SuperblockLayout.JOURNAL_DEVICE) != 0) {
        says.accept("the superblock names a journal, without the feature has_journal");
      }
    } else if (inInode && named) {
      says.accept("the superblock names two journals, one in the image and one on another device");
    } else if (!inInode) {
      says.accept("the journal is on another device, which is not checked");
    }
  }
}
