package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.call.Layout;

/// The structure `struct statfs`, which contains the properties of a file system in 120 bytes. It
/// is filled by [Files#fstatfs].
///
/// An instance may be used by only one thread at a time.
///
/// ```
///  byte 0      8       16       24      32       40      48      56     64        72
///      +------+-------+--------+-------+--------+-------+-------+------+---------+--------+
///      | type | bsize | blocks | bfree | bavail | files | ffree | fsid | namelen | frsize |
///      +------+-------+--------+-------+--------+-------+-------+------+---------+--------+
///   80 | flags | spare[4]                                                                 |
///      +----------------------------------------------------------------------------------+
/// ```
public final class StatFs {
  static final Layout LAYOUT = Layout.of("struct statfs");
  static final int F_TYPE = LAYOUT.u64("f_type");
  static final int F_BSIZE = LAYOUT.u64("f_bsize");
  static final int F_BLOCKS = LAYOUT.u64("f_blocks");
  static final int F_BFREE = LAYOUT.u64("f_bfree");
  static final int F_BAVAIL = LAYOUT.u64("f_bavail");
  static final int F_FILES = LAYOUT.u64("f_files");
  static final int F_FFREE = LAYOUT.u64("f_ffree");
  static final int F_FSID = LAYOUT.array("f_fsid", 4, 2);
  static final int F_NAMELEN = LAYOUT.u64("f_namelen");
  static final int F_FRSIZE = LAYOUT.u64("f_frsize");
  static final int F_FLAGS = LAYOUT.u64("f_flags");
  static final int F_SPARE = LAYOUT.array("f_spare", 8, 4);

  /// The type of NFS. This is the first of the file system types for which inotify does not report
  /// changes that are made by other machines or processes.
  public static final long NFS_SUPER_MAGIC = 0x6969;

  public static final long SMB_SUPER_MAGIC = 0x517b;
  public static final long CIFS_SUPER_MAGIC = 0xff534d42L;
  public static final long SMB2_SUPER_MAGIC = 0xfe534d42L;
  public static final long FUSE_SUPER_MAGIC = 0x65735546;
  public static final long V9FS_MAGIC = 0x01021997;
  public static final long CEPH_SUPER_MAGIC = 0x00c36400;
  public static final long OVERLAYFS_SUPER_MAGIC = 0x794c7630;
  public static final long PROC_SUPER_MAGIC = 0x9fa0;
  public static final long SYSFS_MAGIC = 0x62656572;
  public static final long TMPFS_MAGIC = 0x01021994;
  public static final long EXT4_SUPER_MAGIC = 0xef53;
  public static final long XFS_SUPER_MAGIC = 0x58465342;
  public static final long BTRFS_SUPER_MAGIC = 0x9123683eL;

  private final MemorySegment segment = Arena.ofAuto().allocate(LAYOUT.sizeBytes(), Long.BYTES);

  MemorySegment segment() {
    return segment;
  }

  /// Returns the type of the file system, which may be one of the `MAGIC` constants.
  public long type() {
    return segment.get(JAVA_LONG, F_TYPE);
  }

  /// Returns the block size in bytes.
  public long blockBytes() {
    return segment.get(JAVA_LONG, F_BSIZE);
  }

  /// Returns the size of the file system in blocks.
  public long blocks() {
    return segment.get(JAVA_LONG, F_BLOCKS);
  }

  /// Returns the number of unused blocks.
  public long blocksFree() {
    return segment.get(JAVA_LONG, F_BFREE);
  }

  /// Returns the maximum number of files, or 0 if there is no limit.
  public long files() {
    return segment.get(JAVA_LONG, F_FILES);
  }

  /// Returns the number of files that can still be created.
  public long filesFree() {
    return segment.get(JAVA_LONG, F_FFREE);
  }

  /// Returns a number that distinguishes file systems. Few file systems preserve it across mounts.
  public long id() {
    return segment.get(JAVA_LONG, F_FSID);
  }

  /// Returns the number of blocks that are available to unprivileged users.
  public long blocksAvailable() {
    return segment.get(JAVA_LONG, F_BAVAIL);
  }
}
