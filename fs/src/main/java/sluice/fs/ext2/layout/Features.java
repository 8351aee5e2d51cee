package sluice.fs.ext2.layout;

import java.util.ArrayList;
import java.util.List;

/// The feature bits of a superblock and their names as printed by `tune2fs`. This class contains
/// only constants and is thread-safe.
///
/// An image with an unknown *incompatible* feature is rejected. An image with an unknown *read-only
/// compatible* feature can only be read. Unknown *compatible* features are ignored.
public final class Features {
  public static final int IMAGIC_INODES = 0x2;
  public static final int HAS_JOURNAL = 0x4;
  public static final int EXT_ATTR = 0x8;
  public static final int RESIZE_INODE = 0x10;
  public static final int DIR_INDEX = 0x20;

  /// The superblock has backups only in the groups that are specified by its fields.
  static final int SPARSE_SUPER_2 = 0x200;

  public static final int FILETYPE = 0x2;
  public static final int NEEDS_RECOVERY = 0x4;

  public static final int SPARSE_SUPER = 0x1;
  public static final int LARGE_FILE = 0x2;
  public static final int HUGE_FILE = 0x8;

  /// Group descriptors have checksums, and bitmaps and inode tables may be uninitialized.
  public static final int UNINIT_BG = 0x10;

  static final int DIR_NLINK = 0x20;
  static final int EXTRA_ISIZE = 0x40;
  public static final int QUOTA = 0x100;

  /// All metadata has checksums. The properties of `uninit_bg` also apply.
  public static final int METADATA_CSUM = 0x400;

  private static final int KNOWN_INCOMPATIBLE = FILETYPE | NEEDS_RECOVERY;
  private static final int KNOWN_READ_ONLY = SPARSE_SUPER | LARGE_FILE | EXTRA_ISIZE;

  private static final String[] COMPATIBLE_NAMES = {
    "dir_prealloc",
    "imagic_inodes",
    "has_journal",
    "ext_attr",
    "resize_inode",
    "dir_index",
    "lazy_bg",
    "",
    "snapshot_bitmap",
    "sparse_super2",
    "fast_commit",
    "stable_inodes",
    "orphan_file"
  };
  private static final String[] INCOMPATIBLE_NAMES = {
    "compression", "filetype", "needs_recovery", "journal_dev", "meta_bg", "", "extent", "64bit",
    "mmp", "flex_bg", "ea_inode", "", "dirdata", "metadata_csum_seed", "large_dir", "inline_data",
    "encrypt", "casefold"
  };
  private static final String[] READ_ONLY_NAMES = {
    "sparse_super", "large_file", "btree_dir", "huge_file", "uninit_bg", "dir_nlink", "extra_isize",
    "snapshot", "quota", "bigalloc", "metadata_csum", "replica", "read-only", "project",
    "shared_blocks", "verity", "orphan_present"
  };

  private Features() {}

  /// Returns the unknown incompatible features.
  static int unknownIncompatible(int bits) {
    return bits & ~KNOWN_INCOMPATIBLE;
  }

  /// Returns the unknown features that prohibit writing.
  static int unknownReadOnly(int bits) {
    return bits & ~KNOWN_READ_ONLY;
  }

  static String compatible(int bits) {
    return names(bits, COMPATIBLE_NAMES);
  }

  static String incompatible(int bits) {
    return names(bits, INCOMPATIBLE_NAMES);
  }

  static String readOnlyCompatible(int bits) {
    return names(bits, READ_ONLY_NAMES);
  }

  private static String names(int bits, String[] names) {
    List<String> found = new ArrayList<>();
    for (int i = 0; i < Integer.SIZE; i++) {
      if ((bits >>> i & 1) != 0) {
        boolean named = i < names.length && !names[i].isEmpty();
        found.add(named ? names[i] : "bit " + i);
      }
    }
    return String.join(" ", found);
  }
}
