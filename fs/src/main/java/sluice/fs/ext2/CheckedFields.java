package sluice.fs.ext2;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.Consumer;
import sluice.fs.FileKind;
import sluice.fs.ext2.layout.AttributeLayout;
import sluice.fs.ext2.layout.Features;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.fs.ext2.layout.SuperblockLayout;

/// Checks the consistency of the fields of an inode without following its block pointers. Instances
/// are confined to the checking thread.
///
/// The checks that are performed by [InodeTable] are not repeated here.
final class CheckedFields {
  private static final int EPOCH = 3;

  private final Geometry geometry;
  private final ByteBuffer superblock;
  private final Checksums checksums;
  private final Consumer<String> says;

  /// True if the times in the superblock are plausible. Only in this case must a deletion time that
  /// is less than the number of inodes be a link of the orphan list, because images that were
  /// created shortly after 1970 contain real deletion times of this size.
  private final boolean timesAreTimes;

  CheckedFields(Geometry geometry, byte[] superblock, Checksums checksums, Consumer<String> says) {
    this.geometry = geometry;
    this.checksums = checksums;
    this.says = says;
    this.superblock = ByteBuffer.wrap(superblock).order(ByteOrder.LITTLE_ENDIAN);
    timesAreTimes =
        isTime(SuperblockLayout.WRITE_TIME)
            && isTime(SuperblockLayout.MOUNT_TIME)
            && isTime(SuperblockLayout.MKFS_TIME);
  }

  private boolean isTime(int field) {
    int value = superblock.getInt(field);
    return value == 0 || Integer.compareUnsigned(value, geometry.inodes) >= 0;
  }

  private void report(long inode, String what) {
    says.accept("inode " + inode + " " + what);
  }

  private static boolean isZero(byte[] bytes, int at, int count) {
    for (int i = at; i < at + count; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return true;
  }

  /// Checks a single inode. An inode that is free and was never used is skipped without allocating
  /// memory, because a large image has many of them.
  ///
  /// @param bytes a buffer that contains the inode at offset `at`
  void check(long number, byte[] bytes, int at) {
    if (isZero(bytes, at, geometry.inodeBytes)) {
      return;
    }
    ByteBuffer b = ByteBuffer.wrap(bytes, at, geometry.inodeBytes).slice();
    b.order(ByteOrder.LITTLE_ENDIAN);
    int deleted = b.getInt(InodeLayout.DELETE_TIME);
    boolean used = b.getShort(InodeLayout.LINKS) != 0;
    if (checksums.everywhere() && !checksums.inodeFits(number, bytes, at, geometry.inodeBytes)) {
      report(number, "has a checksum that does not match its bytes");
    }
    if (deleted != 0 && timesAreTimes && Integer.compareUnsigned(deleted, geometry.inodes) < 0) {
      report(number, "is in a list of orphans that does not begin in the superblock");
    }
    if (number < geometry.firstInode && number != InodeLayout.ROOT) {
      checkReserved((int) number, b);
    } else if (used) {
      checkUsed(number, b, bytes, at);
    } else if (deleted == 0 && b.getShort(InodeLayout.MODE) != 0) {
      report(number, "is free, and was never deleted: it has a mode and no time of deletion");
    }
  }

  // ---- reserved ---------------------------------------------------------------------------------

  private static boolean isClear(ByteBuffer b) {
    return b.getShort(InodeLayout.LINKS) == 0
        && b.getInt(InodeLayout.BLOCKS) == 0
        && b.getInt(InodeLayout.BLOCK) == 0;
  }

  private void checkReserved(int number, ByteBuffer b) {
    boolean listed = number == InodeLayout.BAD_BLOCKS || number == InodeLayout.JOURNAL;
    boolean flagged = (b.getInt(InodeLayout.FLAGS) & InodeLayout.FLAGS_OF_CONTENT) != 0;
    if (flagged && (listed || b.getShort(InodeLayout.LINKS) != 0)) {
      report(number, "is reserved, and has flags of ext4");
    }
    FileKind kind = FileKind.ofMode(b.getShort(InodeLayout.MODE) & 0xFFFF);
    boolean noMode = b.getShort(InodeLayout.MODE) == 0;
    boolean file = kind == FileKind.REGULAR;
    boolean good =
        switch (number) {
          case InodeLayout.BAD_BLOCKS -> noMode && isBare(b);
          case InodeLayout.BOOT_LOADER -> kind != FileKind.DIRECTORY;
          case InodeLayout.USER_QUOTA, InodeLayout.GROUP_QUOTA ->
              isQuota(number) ? file : isClear(b);
          case InodeLayout.RESIZE -> (noMode || file) && checkResize(b, file);
          case InodeLayout.JOURNAL -> geometry.journalInode == number ? file : isClear(b);
          default -> noMode;
        };
    if (!good) {
      report(number, "is reserved, and has fields of a file");
    }
  }

  private boolean isQuota(int number) {
    boolean quota = (geometry.readOnlyCompatible & Features.QUOTA) != 0;
    int user = superblock.getInt(SuperblockLayout.USER_QUOTA_INODE);
    int group = superblock.getInt(SuperblockLayout.GROUP_QUOTA_INODE);
    return quota && (number == user || number == group);
  }

  private static boolean isBare(ByteBuffer b) {
    return b.getShort(InodeLayout.UID) == 0
        && b.getShort(InodeLayout.GID) == 0
        && b.getShort(InodeLayout.LINKS) == 0
        && b.getInt(InodeLayout.FILE_ACL) == 0;
  }

  /// Returns true if the fields of the resize inode (7) are valid. Its only root pointer must be
  /// the double-indirect pointer, which leads to the descriptor blocks that are reserved for
  /// growing the file system.
  private boolean checkResize(ByteBuffer b, boolean file) {
    int second = InodeLayout.DIRECT_BLOCKS + 1;
    for (int i = 0; i < InodeLayout.BLOCK_POINTERS; i++) {
      boolean pointer = b.getInt(InodeLayout.BLOCK + 4 * i) != 0;
      if (pointer && !(geometry.has(Features.RESIZE_INODE) && i == second)) {
        return false;
      }
    }
    boolean growing = b.getInt(InodeLayout.BLOCK + 4 * second) != 0;
    return !growing || (file && b.getShort(InodeLayout.LINKS) == 1);
  }

  // ---- in use -----------------------------------------------------------------------------------

  private void checkUsed(long number, ByteBuffer b, byte[] bytes, int at) {
    int flags = b.getInt(InodeLayout.FLAGS);
    FileKind kind = FileKind.ofMode(b.getShort(InodeLayout.MODE) & 0xFFFF);
    if (b.getInt(InodeLayout.DELETE_TIME) != 0) {
      report(number, "is in use, and has a time of deletion");
    }
    if (b.getInt(InodeLayout.FRAGMENT_ADDRESS) != 0) {
      report(number, "has a fragment, which ext2 does not have");
    }
    boolean huge = (geometry.readOnlyCompatible & Features.HUGE_FILE) != 0;
    if (!geometry.hurd && !huge && b.getShort(InodeLayout.BLOCKS_HIGH) != 0) {
      report(number, "has i_blocks_high, without feature huge_file");
    }
    if (geometry.hurd && b.getShort(InodeLayout.BLOCKS_HIGH) != 0) {
      report(number, "has a fragment, which ext2 does not have");
    }
    if (!geometry.hurd && b.getShort(InodeLayout.FILE_ACL_HIGH) != 0) {
      report(number, "has i_file_acl_high, without feature 64bit");
    }
    boolean longSize = kind == FileKind.DIRECTORY || geometry.revision == 0;
    if (b.getInt(InodeLayout.SIZE_HIGH) != 0 && (longSize || kind == FileKind.SYMLINK)) {
      report(number, "has i_size_high, but is not a long file");
    }
    if ((flags & InodeLayout.FLAG_IMAGIC) != 0 && !geometry.has(Features.IMAGIC_INODES)) {
      report(number, "has the flag of the feature imagic_inodes");
    }
    if ((flags & InodeLayout.FLAG_CASEFOLD) != 0) {
      report(number, "has the flag of the feature casefold");
    }
    boolean indexed = (flags & InodeLayout.FLAG_INDEX) != 0;
    if (indexed && (kind != FileKind.DIRECTORY || !geometry.has(Features.DIR_INDEX))) {
      report(number, "has the flag of a hash tree, and cannot have one");
    }
    if (b.getInt(InodeLayout.FILE_ACL) != 0 && !geometry.has(Features.EXT_ATTR)) {
      report(number, "has a block of extended attributes, without feature ext_attr");
    }
    checkKind(number, b, kind, flags);
    checkExtra(number, b, bytes, at);
  }

  private void checkKind(long number, ByteBuffer b, FileKind kind, int flags) {
    boolean content = kind == FileKind.REGULAR || kind == FileKind.DIRECTORY;
    boolean fixed = (flags & (InodeLayout.FLAG_IMMUTABLE | InodeLayout.FLAG_APPEND)) != 0;
    if (!content && fixed) {
      report(number, "is a " + kind + " that is immutable or append-only");
    }
    if (!content && kind != FileKind.SYMLINK) {
      boolean sized = b.getInt(InodeLayout.SIZE) != 0 || b.getInt(InodeLayout.SIZE_HIGH) != 0;
      if (sized) {
        report(number, "is a " + kind + " with a size");
      }
    }
    if (kind == FileKind.SYMLINK) {
      checkShortLink(number, b);
    }
  }

  /// Checks a symbolic link that is shorter than 60 bytes. Its target is stored in the inode, and
  /// its length is determined by the size.
  private void checkShortLink(long number, ByteBuffer b) {
    int size = b.getInt(InodeLayout.SIZE);
    int room = 4 * InodeLayout.BLOCK_POINTERS;
    if (size <= 0 || size >= room) {
      return; // a block holds the target, or InodeTable rejects the inode
    }
    int length = 0;
    while (length < room && b.get(InodeLayout.BLOCK + length) != 0) {
      length++;
    }
    if (length != size) {
      report(number, "is a link of " + size + " bytes whose target has " + length);
    }
  }

  private void checkExtra(long number, ByteBuffer b, byte[] bytes, int at) {
    if (geometry.inodeBytes == InodeLayout.GOOD_OLD_BYTES) {
      return;
    }
    int extra = b.getShort(InodeLayout.EXTRA_SIZE) & 0xFFFF;
    int room = geometry.inodeBytes - InodeLayout.GOOD_OLD_BYTES;
    if (extra != 0 && extra < 4) {
      report(number, "has i_extra_isize " + extra);
    }
    if (extra >= room - 4 || extra % 4 != 0 || (extra != 0 && extra < 4)) {
      return;
    }
    int start = InodeLayout.GOOD_OLD_BYTES + extra;
    if (b.getInt(start) == AttributeLayout.MAGIC) {
      byte[] region = Arrays.copyOfRange(bytes, at + start, at + geometry.inodeBytes);
      String wrong = CheckedAttributes.inInode(region);
      if (!wrong.isEmpty()) {
        report(number, "has invalid extended attributes: " + wrong);
      }
    }
    checkTime(number, b, InodeLayout.ACCESS_TIME, InodeLayout.ACCESS_TIME_EXTRA);
    checkTime(number, b, InodeLayout.CHANGE_TIME, InodeLayout.CHANGE_TIME_EXTRA);
    checkTime(number, b, InodeLayout.MODIFY_TIME, InodeLayout.MODIFY_TIME_EXTRA);
    checkTime(number, b, InodeLayout.BIRTH_TIME, InodeLayout.BIRTH_TIME_EXTRA);
  }

  /// Reports a time before 1970 that was written by an old kernel with the epoch bits of a time
  /// after 2310.
  private void checkTime(long number, ByteBuffer b, int field, int extraField) {
    if (extraField + 4 <= geometry.inodeBytes
        && b.getInt(field) < 0
        && (b.getInt(extraField) & EPOCH) == EPOCH) {
      report(number, "has a time after 2310 at byte " + field);
    }
  }
}
