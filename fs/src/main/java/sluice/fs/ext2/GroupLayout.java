package sluice.fs.ext2;

/// Offsets in a group descriptor; the table of them follows the superblock's block. Constants: any
/// thread may use them.
///
/// ```
/// struct ext2_group_desc {
///   __le32 bg_block_bitmap;        /* 0  */     0        4        8        12
///   __le32 bg_inode_bitmap;        /* 4  */    |bl. bmap|in. bmap|in.table|fb |fi |
///   __le32 bg_inode_table;         /* 8  */ 16 |dirs|pad|reserved                 |
///   __le16 bg_free_blocks_count;   /* 12 */
///   __le16 bg_free_inodes_count;   /* 14 */
///   __le16 bg_used_dirs_count;     /* 16 */
///   __le16 bg_pad; __le32 bg_reserved[3];
/// };
/// ```
final class GroupLayout {
  static final int BYTES = 32;
  static final int BLOCK_BITMAP = 0;
  static final int INODE_BITMAP = 4;
  static final int INODE_TABLE = 8;
  static final int FREE_BLOCKS = 12;
  static final int FREE_INODES = 14;
  static final int USED_DIRECTORIES = 16;

  private GroupLayout() {}
}
