package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.call.Layout;

/// The structure `struct statx`, which contains the attributes of a file in 256 bytes. It is filled
/// by [Files#statx].
///
/// An instance may be used by only one thread at a time, and may be filled repeatedly.
///
/// ```
///  byte 0        4          8            16      20    24    28     30    32
///      +--------+----------+------------+-------+-----+-----+------+-----+
///      | mask   | blksize  | attributes | nlink | uid | gid | mode |  -  |
///      +--------+----------+------------+-------+-----+-----+------+-----+
///   32 | ino | size | blocks | attributes_mask | atime | btime | ctime | mtime |
///  128 | rdev_major | rdev_minor | dev_major | dev_minor | mnt_id | … to 256     |
///      +------------------------------------------------------------------------+
/// ```
public final class Statx {
  static final Layout TIMESTAMP_LAYOUT = Layout.of("struct statx_timestamp");
  static final int TV_SEC = TIMESTAMP_LAYOUT.u64("tv_sec");
  static final int TV_NSEC = TIMESTAMP_LAYOUT.u32("tv_nsec");
  static final int TV_RESERVED = TIMESTAMP_LAYOUT.u32("__reserved");

  static final Layout LAYOUT = Layout.of("struct statx");
  static final int MASK = LAYOUT.u32("stx_mask");
  static final int BLKSIZE = LAYOUT.u32("stx_blksize");
  static final int ATTRIBUTES = LAYOUT.u64("stx_attributes");
  static final int NLINK = LAYOUT.u32("stx_nlink");
  static final int UID = LAYOUT.u32("stx_uid");
  static final int GID = LAYOUT.u32("stx_gid");
  static final int MODE = LAYOUT.u16("stx_mode");
  static final int SPARE0 = LAYOUT.u16("__spare0");
  static final int INO = LAYOUT.u64("stx_ino");
  static final int SIZE = LAYOUT.u64("stx_size");
  static final int BLOCKS = LAYOUT.u64("stx_blocks");
  static final int ATTRIBUTES_MASK = LAYOUT.u64("stx_attributes_mask");
  static final int ATIME = LAYOUT.array("stx_atime", 8, 2);
  static final int BTIME = LAYOUT.array("stx_btime", 8, 2);
  static final int CTIME = LAYOUT.array("stx_ctime", 8, 2);
  static final int MTIME = LAYOUT.array("stx_mtime", 8, 2);
  static final int RDEV_MAJOR = LAYOUT.u32("stx_rdev_major");
  static final int RDEV_MINOR = LAYOUT.u32("stx_rdev_minor");
  static final int DEV_MAJOR = LAYOUT.u32("stx_dev_major");
  static final int DEV_MINOR = LAYOUT.u32("stx_dev_minor");
  static final int MNT_ID = LAYOUT.u64("stx_mnt_id");
  static final int BYTES = 256;

  static {
    LAYOUT.padTo(BYTES);
  }

  public static final int STATX_TYPE = 1;
  public static final int STATX_MODE = 2;
  public static final int STATX_NLINK = 4;
  public static final int STATX_UID = 8;
  public static final int STATX_GID = 0x10;
  public static final int STATX_ATIME = 0x20;
  public static final int STATX_MTIME = 0x40;
  public static final int STATX_CTIME = 0x80;
  public static final int STATX_INO = 0x100;
  public static final int STATX_SIZE = 0x200;
  public static final int STATX_BLOCKS = 0x400;
  public static final int STATX_BASIC_STATS = 0x7ff;
  public static final int STATX_BTIME = 0x800;
  public static final int STATX_MNT_ID = 0x1000;

  public static final int S_IFMT = 0xf000;
  public static final int S_IFSOCK = 0xc000;
  public static final int S_IFLNK = 0xa000;
  public static final int S_IFREG = 0x8000;
  public static final int S_IFBLK = 0x6000;
  public static final int S_IFDIR = 0x4000;
  public static final int S_IFCHR = 0x2000;
  public static final int S_IFIFO = 0x1000;

  private final MemorySegment segment = Arena.ofAuto().allocate(BYTES, Long.BYTES);

  MemorySegment segment() {
    return segment;
  }

  /// Returns the `STATX_` bits of the members that were filled by the file system.
  public int mask() {
    return segment.get(JAVA_INT, MASK);
  }

  /// Returns the type and the permissions, which are an `S_IF` constant and the low 12 bits.
  public int mode() {
    return segment.get(JAVA_SHORT, MODE) & 0xffff;
  }

  /// Returns true if the file is a regular file. Requires [#STATX_TYPE].
  public boolean isRegularFile() {
    return (mode() & S_IFMT) == S_IFREG;
  }

  /// Returns true if the file is a directory. Requires [#STATX_TYPE].
  public boolean isDirectory() {
    return (mode() & S_IFMT) == S_IFDIR;
  }

  /// Returns true if the file is a symbolic link. Requires [#STATX_TYPE].
  public boolean isSymbolicLink() {
    return (mode() & S_IFMT) == S_IFLNK;
  }

  /// Returns the length in bytes.
  public long size() {
    return segment.get(JAVA_LONG, SIZE);
  }

  /// Returns the inode number, which is unique within [#device].
  public long inode() {
    return segment.get(JAVA_LONG, INO);
  }

  /// Returns the number of hard links.
  public int links() {
    return segment.get(JAVA_INT, NLINK);
  }

  /// Returns the owner.
  public int uid() {
    return segment.get(JAVA_INT, UID);
  }

  /// Returns the group.
  public int gid() {
    return segment.get(JAVA_INT, GID);
  }

  /// Returns the number of allocated blocks of 512 bytes.
  public long blocks() {
    return segment.get(JAVA_LONG, BLOCKS);
  }

  /// Returns the device number, with the major number in the upper 32 bits and the minor number in
  /// the lower 32 bits.
  public long device() {
    return (long) segment.get(JAVA_INT, DEV_MAJOR) << 32
        | Integer.toUnsignedLong(segment.get(JAVA_INT, DEV_MINOR));
  }

  /// Returns the id of the mount. Requires [#STATX_MNT_ID] in the mask.
  public long mountId() {
    return segment.get(JAVA_LONG, MNT_ID);
  }

  /// Returns the time of the last change of the content in seconds since 1970.
  public long modifiedSeconds() {
    return segment.get(JAVA_LONG, MTIME + TV_SEC);
  }

  /// Returns the nanoseconds within [#modifiedSeconds].
  public int modifiedNanos() {
    return segment.get(JAVA_INT, MTIME + TV_NSEC);
  }

  /// Returns the time of the last change of the content or the attributes in seconds since 1970.
  public long changedSeconds() {
    return segment.get(JAVA_LONG, CTIME + TV_SEC);
  }

  /// Returns the nanoseconds within [#changedSeconds].
  public int changedNanos() {
    return segment.get(JAVA_INT, CTIME + TV_NSEC);
  }

  /// Returns the time of the last access in seconds since 1970.
  public long accessedSeconds() {
    return segment.get(JAVA_LONG, ATIME + TV_SEC);
  }

  /// Returns the nanoseconds within [#accessedSeconds].
  public int accessedNanos() {
    return segment.get(JAVA_INT, ATIME + TV_NSEC);
  }

  /// Returns the creation time in seconds since 1970, or 0 if the file system does not store it.
  public long bornSeconds() {
    return segment.get(JAVA_LONG, BTIME + TV_SEC);
  }

  /// Returns the nanoseconds within [#bornSeconds].
  public int bornNanos() {
    return segment.get(JAVA_INT, BTIME + TV_NSEC);
  }

  /// Returns the major number of a device file.
  public int deviceMajor() {
    return segment.get(JAVA_INT, RDEV_MAJOR);
  }

  /// Returns the minor number of a device file.
  public int deviceMinor() {
    return segment.get(JAVA_INT, RDEV_MINOR);
  }
}
