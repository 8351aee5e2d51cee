package sluice.fs.ext2.layout;

/// The offsets in an inode on disk. This class contains only constants and is thread-safe.
///
/// ```
/// struct ext2_inode {
///   __le16 i_mode, i_uid;          /* 0   */      0        4        8        12
///   __le32 i_size;                 /* 4   */ 000 |mode|uid|size    |atime   |ctime   |
///   __le32 i_atime, i_ctime;       /* 8   */ 010 |mtime   |dtime   |gid|link|blocks  |
///   __le32 i_mtime, i_dtime;       /* 16  */ 020 |flags   |version |block[0] …
///   __le16 i_gid, i_links_count;   /* 24  */ 060 |    …   |generat.|file_acl|size_hi |
///   __le32 i_blocks, i_flags;      /* 28  */ 070 |faddr   |osd2 …
///   __le32 l_i_version;            /* 36  */ 080 |ext|csum|ctime_x |mtime_x |atime_x |
///   __le32 i_block[15];            /* 40  */ 090 |crtime  |crtime_x|version |projid  |
///   __le32 i_generation;           /* 100 */
///   __le32 i_file_acl;             /* 104 */
///   __le32 i_dir_acl;              /* 108: high half of the size of regular files */
///   __le32 i_faddr;                /* 112 */
///   __le16 l_i_blocks_high, l_i_file_acl_high, l_i_uid_high, l_i_gid_high;  /* 116 */
///   __le16 l_i_checksum_lo, l_i_reserved;                                   /* 124 */
///   /* with inodes of more than 128 bytes: */
///   __le16 i_extra_isize, i_checksum_hi;                                    /* 128 */
///   __le32 i_ctime_extra, i_mtime_extra, i_atime_extra;                     /* 132 */
///   __le32 i_crtime, i_crtime_extra, i_version_hi, i_projid;                /* 144 */
/// };
/// ```
///
/// The extra word of a time contains bits 32 and 33 of the seconds in its two low bits, and the
/// nanoseconds above them.
public final class InodeLayout {
  public static final int MODE = 0;
  public static final int UID = 2;
  public static final int SIZE = 4;
  public static final int ACCESS_TIME = 8;
  public static final int CHANGE_TIME = 12;
  public static final int MODIFY_TIME = 16;
  public static final int DELETE_TIME = 20;
  public static final int GID = 24;
  public static final int LINKS = 26;
  public static final int BLOCKS = 28;
  public static final int FLAGS = 32;
  public static final int VERSION = 36;
  public static final int BLOCK = 40;
  public static final int GENERATION = 100;
  public static final int FILE_ACL = 104;
  public static final int SIZE_HIGH = 108;
  public static final int FRAGMENT_ADDRESS = 112;
  public static final int BLOCKS_HIGH = 116;
  public static final int FILE_ACL_HIGH = 118;
  public static final int UID_HIGH = 120;
  public static final int GID_HIGH = 122;
  public static final int CHECKSUM = 124;
  public static final int GOOD_OLD_BYTES = 128;
  public static final int EXTRA_SIZE = 128;
  public static final int CHECKSUM_HIGH = 130;
  public static final int CHANGE_TIME_EXTRA = 132;
  public static final int MODIFY_TIME_EXTRA = 136;
  public static final int ACCESS_TIME_EXTRA = 140;
  public static final int BIRTH_TIME = 144;
  public static final int BIRTH_TIME_EXTRA = 148;
  public static final int VERSION_HIGH = 152;

  /// The minimum value of `i_extra_isize` for which the change time has nanoseconds.
  public static final int PRECISE_CHANGE_EXTRA = CHANGE_TIME_EXTRA + 4 - GOOD_OLD_BYTES;

  /// The size of the fields of a new inode that follow the original 128 bytes, if there is enough
  /// space for all of the fields above.
  public static final int WANTED_EXTRA_SIZE = 32;

  public static final int DIRECT_BLOCKS = 12;
  public static final int BLOCK_POINTERS = 15;

  public static final int FLAG_IMMUTABLE = 0x10;
  public static final int FLAG_APPEND = 0x20;
  public static final int FLAG_NO_ACCESS_TIME = 0x80;

  /// The directory has a hash tree.
  public static final int FLAG_INDEX = 0x1000;

  /// The content is written through the journal.
  public static final int FLAG_JOURNAL_DATA = 0x4000;

  /// The subdirectories are unrelated and are spread across the groups.
  public static final int FLAG_TOP_DIRECTORY = 0x20000;

  /// The flags of ext4 that change the meaning of the block pointers.
  public static final int FLAGS_OF_EXT4 = 0x80000 | 0x10000000 | 0x40000 | 0x200000 | 0x800;

  /// The inode is located by the magic number of an AFS cache. Requires the feature
  /// `imagic_inodes`.
  public static final int FLAG_IMAGIC = 0x2000;

  /// The flags of ext4 for content without block pointers, and for case-insensitive names.
  public static final int FLAGS_OF_CONTENT = 0x80000 | 0x10000000 | 0x40000000;

  public static final int FLAG_CASEFOLD = 0x40000000;

  public static final int BAD_BLOCKS = 1;
  public static final int ROOT = 2;
  public static final int USER_QUOTA = 3;
  public static final int GROUP_QUOTA = 4;
  public static final int BOOT_LOADER = 5;
  public static final int RESIZE = 7;
  public static final int JOURNAL = 8;

  private InodeLayout() {}
}
