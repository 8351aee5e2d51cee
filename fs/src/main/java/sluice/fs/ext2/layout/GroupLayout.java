package sluice.fs.ext2.layout;

/// The offsets in a group descriptor. The table of descriptors follows the block of the superblock.
/// This class contains only constants and is thread-safe.
///
/// ```
/// struct ext2_group_desc {
///   __le32 bg_block_bitmap;        /* 0  */     0        4        8        12
///   __le32 bg_inode_bitmap;        /* 4  */    |bl. bmap|in. bmap|in.table|fb |fi |
///   __le32 bg_inode_table;         /* 8  */ 16 |dirs|fl.|exclude |bbc|ibc|un.|sum |
///   __le16 bg_free_blocks_count;   /* 12 */
///   __le16 bg_free_inodes_count;   /* 14 */
///   __le16 bg_used_dirs_count;     /* 16 */
///   __le16 bg_flags;               /* 18: from here on with uninit_bg or metadata_csum */
///   __le32 bg_exclude_bitmap_lo;   /* 20 */
///   __le16 bg_block_bitmap_csum_lo, bg_inode_bitmap_csum_lo;  /* 24 */
///   __le16 bg_itable_unused_lo, bg_checksum;                  /* 28 */
/// };
/// ```
public final class GroupLayout {
  public static final int BYTES = 32;
  public static final int BLOCK_BITMAP = 0;
  public static final int INODE_BITMAP = 4;
  public static final int INODE_TABLE = 8;
  public static final int FREE_BLOCKS = 12;
  public static final int FREE_INODES = 14;
  public static final int USED_DIRECTORIES = 16;
  public static final int FLAGS = 18;
  public static final int BLOCK_BITMAP_CHECKSUM = 24;
  public static final int INODE_BITMAP_CHECKSUM = 26;

  /// The number of inodes at the end of the table that were never written.
  public static final int UNUSED_INODES = 28;

  public static final int CHECKSUM = 30;

  /// A bit of [#FLAGS] indicating that no inode is in use, and that neither the inode bitmap nor
  /// the table was written.
  public static final int INODE_UNINIT = 1;

  /// A bit of [#FLAGS] indicating that no block belongs to a file, and that the block bitmap was
  /// never written.
  public static final int BLOCK_UNINIT = 2;

  private GroupLayout() {}
}
