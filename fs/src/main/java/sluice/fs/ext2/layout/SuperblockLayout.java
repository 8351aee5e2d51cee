package sluice.fs.ext2.layout;

/// The offsets in the superblock of ext2, which consists of the 1024 bytes at byte 1024 of an
/// image. This class contains only constants and is thread-safe.
///
/// ```
/// struct ext2_super_block {          /* linux/ext2_fs.h; names of ext4 from 0x150 on */
///   __le32 s_inodes_count, s_blocks_count, s_r_blocks_count, s_free_blocks_count;
///   __le32 s_free_inodes_count, s_first_data_block, s_log_block_size, s_log_frag_size;
///   __le32 s_blocks_per_group, s_frags_per_group, s_inodes_per_group, s_mtime, s_wtime;
///   __le16 s_mnt_count, s_max_mnt_count, s_magic, s_state, s_errors, s_minor_rev_level;
///   __le32 s_lastcheck, s_checkinterval, s_creator_os, s_rev_level;
///   __le16 s_def_resuid, s_def_resgid;
///   __le32 s_first_ino; __le16 s_inode_size, s_block_group_nr;
///   __le32 s_feature_compat, s_feature_incompat, s_feature_ro_compat;
///   __u8 s_uuid[16]; char s_volume_name[16], s_last_mounted[64];
///   __le32 s_algorithm_usage_bitmap; __u8 s_prealloc_blocks, s_prealloc_dir_blocks;
///   __le16 s_reserved_gdt_blocks; __u8 s_journal_uuid[16];
///   __le32 s_journal_inum, s_journal_dev, s_last_orphan, s_hash_seed[4];
///   __u8 s_def_hash_version, s_jnl_backup_type; __le16 s_desc_size;
///   __le32 s_default_mount_opts, s_first_meta_bg, s_mkfs_time, s_jnl_blocks[17];
///   __le32 s_blocks_count_hi, s_r_blocks_count_hi, s_free_blocks_hi;
///   __le16 s_min_extra_isize, s_want_extra_isize; __le32 s_flags; …
/// };
///
///       0        4        8        12
/// 000  |inodes  |blocks  |reserved|free bl.|
/// 010  |free in.|first bl|log size|log frag|
/// 020  |bl/group|fr/group|in/group|mtime   |
/// 030  |wtime   |mnt|max |EF53|st |err|min |
/// 040  |lastchk |interval|os      |revision|
/// 050  |uid|gid |first in|size|grp|compat  |
/// 060  |incompat|ro_comp.|uuid …
/// ```
public final class SuperblockLayout {
  /// The position in bytes of the superblock on the device.
  public static final int POSITION = 1024;

  public static final int BYTES = 1024;
  public static final int MAGIC_VALUE = 0xEF53;

  public static final int INODES_COUNT = 0;
  public static final int BLOCKS_COUNT = 4;
  public static final int RESERVED_BLOCKS = 8;
  public static final int FREE_BLOCKS = 12;
  public static final int FREE_INODES = 16;
  public static final int FIRST_DATA_BLOCK = 20;
  public static final int LOG_BLOCK_SIZE = 24;
  public static final int LOG_FRAGMENT_SIZE = 28;
  public static final int BLOCKS_PER_GROUP = 32;
  public static final int FRAGMENTS_PER_GROUP = 36;
  public static final int INODES_PER_GROUP = 40;
  public static final int MOUNT_TIME = 44;
  public static final int WRITE_TIME = 48;
  public static final int MOUNT_COUNT = 52;
  public static final int MAX_MOUNT_COUNT = 54;
  public static final int MAGIC = 56;
  public static final int STATE = 58;
  public static final int ERRORS = 60;
  public static final int LAST_CHECK = 64;
  static final int CREATOR_OS = 72;
  public static final int REVISION = 76;
  static final int RESERVED_UID = 80;
  static final int RESERVED_GID = 82;
  public static final int FIRST_INODE = 84;
  public static final int INODE_SIZE = 88;
  public static final int GROUP_NUMBER = 90;
  public static final int COMPATIBLE = 92;
  public static final int INCOMPATIBLE = 96;
  public static final int READ_ONLY_COMPATIBLE = 100;
  public static final int UUID = 104;
  public static final int VOLUME_NAME = 120;
  public static final int VOLUME_NAME_BYTES = 16;
  public static final int PREALLOCATED_DIRECTORY_BLOCKS = 205;
  public static final int RESERVED_GDT_BLOCKS = 206;
  public static final int JOURNAL_UUID = 208;
  public static final int JOURNAL_INODE = 224;
  public static final int JOURNAL_DEVICE = 228;
  public static final int LAST_ORPHAN = 232;
  public static final int HASH_SEED = 236;
  public static final int HASH_VERSION = 252;
  public static final int JOURNAL_BACKUP_TYPE = 253;
  public static final int DESCRIPTOR_SIZE = 254;
  public static final int DEFAULT_MOUNT_OPTIONS = 256;
  public static final int MKFS_TIME = 264;
  public static final int JOURNAL_BLOCKS = 268;
  public static final int MIN_EXTRA_SIZE = 348;
  public static final int WANT_EXTRA_SIZE = 350;
  public static final int FLAGS = 352;
  public static final int LOG_GROUPS_PER_FLEX = 372;
  public static final int CHECKSUM_TYPE = 373;
  public static final int USER_QUOTA_INODE = 576;
  public static final int GROUP_QUOTA_INODE = 580;
  public static final int CHECKSUM = 1020;

  /// A bit of [#STATE] indicating that the file system was unmounted cleanly.
  public static final int STATE_VALID = 1;

  /// A bit of [#STATE] indicating that an inconsistency was found.
  public static final int STATE_ERROR = 2;

  /// A value of [#CREATOR_OS] that denotes the Hurd.
  static final int OS_HURD = 1;

  /// A bit of [#FLAGS] indicating that the hash of names treats bytes as signed.
  public static final int FLAG_SIGNED_HASH = 1;

  static final int FLAG_UNSIGNED_HASH = 2;

  private SuperblockLayout() {}
}
