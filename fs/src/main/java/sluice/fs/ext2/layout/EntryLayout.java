package sluice.fs.ext2.layout;

/// The offsets in a directory entry and in the blocks of a hash tree. This class contains only
/// constants and is thread-safe.
///
/// ```
/// struct ext2_dir_entry_2 {          0        4   6 7 8
///   __le32 inode;    /* 0 */        |inode   |len|n|t|name …        |
///   __le16 rec_len;  /* 4: to the next entry, a multiple of 4 */
///   __u8 name_len;   /* 6 */
///   __u8 file_type;  /* 7: high byte of name_len without the feature filetype */
///   char name[];     /* 8: padded to 4 */
/// };
/// struct dx_root {                   /* block 0 of an indexed directory */
///   struct ext2_dir_entry_2 dot, dotdot;         /* 0, 12: dotdot reaches to the end */
///   __le32 reserved_zero;                        /* 24 */
///   __u8 hash_version, info_length, indirect_levels, unused_flags;  /* 28 */
///   struct dx_entry entries[];                   /* 24 + info_length */
/// };
/// struct dx_node { struct ext2_dir_entry_2 fake; struct dx_entry entries[]; /* 8 */ };
/// struct dx_entry { __le32 hash, block; };  /* the first holds __le16 limit, count as hash */
/// ```
public final class EntryLayout {
  public static final int INODE = 0;
  public static final int RECORD_LENGTH = 4;
  public static final int NAME_LENGTH = 6;
  public static final int FILE_TYPE = 7;
  public static final int NAME = 8;
  public static final int MAX_NAME_BYTES = 255;

  /// The size of the tail of a block in images with `metadata_csum`. The tail is formatted as a
  /// free entry of the kind 0xDE whose name is the checksum.
  public static final int TAIL_BYTES = 12;

  public static final int TAIL_HEAD = 0xDE00_0000 | TAIL_BYTES;

  /// The size of the tail after the entries of a tree node, which consists of four reserved bytes
  /// and the checksum.
  public static final int DX_TAIL_BYTES = 8;

  public static final int DX_HASH_VERSION = 28;
  public static final int DX_INFO_LENGTH = 29;
  public static final int DX_LEVELS = 30;
  public static final int DX_UNUSED_FLAGS = 31;
  public static final int DX_ROOT_INFO = 24;
  public static final int DX_INFO_BYTES = 8;
  public static final int DX_ROOT_ENTRIES = DX_ROOT_INFO + DX_INFO_BYTES;
  public static final int DX_NODE_ENTRIES = 8;
  public static final int DX_ENTRY_BYTES = 8;

  private EntryLayout() {}

  /// Returns the size of an entry with a name of the given length.
  public static int bytes(int nameBytes) {
    return (NAME + nameBytes + 3) & ~3;
  }
}
