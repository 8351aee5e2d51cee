package sluice.fs.ext2.layout;

/// The offsets of extended attributes on disk, and the numbers of their namespaces. This class
/// contains only constants and is thread-safe.
///
/// ```
/// struct ext2_xattr_header {   /* at the start of a block; an inode has only the magic number */
///   __le32 h_magic;      /* 0: 0xEA020000 */
///   __le32 h_refcount;   /* 4: inodes that share the block */
///   __le32 h_blocks;     /* 8: 1 */
///   __le32 h_hash;       /* 12: of all entries */
///   __le32 h_checksum;   /* 16: with metadata_csum */
///   __u32 h_reserved[3]; /* 20 */
/// };
/// struct ext2_xattr_entry {          0 1 2   4        8        12       16
///   __u8 e_name_len;     /* 0 */    |n|i|off|block   |size    |hash    |name …   |
///   __u8 e_name_index;   /* 1 */
///   __le16 e_value_offs; /* 2: from the block's start, or from the first entry of an inode */
///   __le32 e_value_block;/* 4: 0 */
///   __le32 e_value_size; /* 8 */
///   __le32 e_hash;       /* 12 */
///   char e_name[];       /* 16: padded to 4 */
/// };                     /* four zero bytes end the list; values grow down from the end */
/// ```
public final class AttributeLayout {
  public static final int MAGIC = 0xEA020000;
  public static final int HEADER_BYTES = 32;
  public static final int REFERENCES = 4;
  public static final int BLOCKS = 8;
  static final int HASH = 12;
  public static final int CHECKSUM = 16;

  public static final int NAME_LENGTH = 0;
  public static final int NAME_INDEX = 1;
  public static final int VALUE_OFFSET = 2;
  public static final int VALUE_BLOCK = 4;
  public static final int VALUE_SIZE = 8;
  public static final int ENTRY_HASH = 12;
  public static final int ENTRY_BYTES = 16;

  /// The maximum number of inodes that may share a block.
  public static final int MAX_REFERENCES = 1024;

  public static final int USER = 1;

  /// The access control list of a file, which is an attribute without a name. See
  /// [AccessControlList].
  public static final int ACL_ACCESS = 2;

  /// The default access control list, which new files in a directory inherit.
  public static final int ACL_DEFAULT = 3;

  public static final int TRUSTED = 4;
  public static final int SECURITY = 6;

  private AttributeLayout() {}
}
