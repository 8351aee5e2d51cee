package sluice.fs.fuse;

/// The offsets in the messages of `linux/fuse.h`, relative to the beginning of each structure. This
/// class contains only constants and is thread-safe.
///
/// A request consists of a `fuse_in_header`, the structure of its operation, and names, each of
/// which is terminated by NUL. A reply consists of a `fuse_out_header` and a structure. Numbers are
/// in native byte order.
///
/// ```
/// struct fuse_in_header {            struct fuse_out_header {
///   u32 len, opcode;    /*  0 */       u32 len;     /* 0 */
///   u64 unique, nodeid; /*  8 */       s32 error;   /* 4: 0 or a negative errno */
///   u32 uid, gid, pid;  /* 24 */       u64 unique;  /* 8 */
///   u16 total_extlen;   /* 36 */     };
/// };
/// struct fuse_attr { u64 ino, size, blocks, atime, mtime, ctime; u32 atimensec, mtimensec,
///   ctimensec, mode, nlink, uid, gid, rdev, blksize, flags; };
/// struct fuse_entry_out { u64 nodeid, generation, entry_valid, attr_valid; u32 entry_valid_nsec,
///   attr_valid_nsec; struct fuse_attr attr; };
/// struct fuse_attr_out { u64 attr_valid; u32 attr_valid_nsec, dummy; struct fuse_attr attr; };
/// struct fuse_dirent { u64 ino, off; u32 namelen, type; char name[]; };  /* padded to 8 */
/// struct fuse_direntplus { struct fuse_entry_out entry_out; struct fuse_dirent dirent; };
/// struct fuse_setattr_in { u32 valid, padding; u64 fh, size, lock_owner, atime, mtime, ctime;
///   u32 atimensec, mtimensec, ctimensec, mode, unused4, uid, gid, unused5; };
/// struct fuse_read_in, fuse_write_in { u64 fh, offset; u32 size, flags; u64 lock_owner;
///   u32 open_flags, padding; };
/// struct fuse_notify_inval_inode_out { u64 ino; s64 off, len; };  /* behind a fuse_out_header */
/// struct fuse_uring_ent_in_out { u64 flags, commit_id; u32 payload_sz, padding; u64 reserved; };
/// struct fuse_uring_req_header { char in_out[128], op_in[128];
///   struct fuse_uring_ent_in_out ring_ent_in_out; };
/// ```
///
/// On a ring, the header is in `in_out`, the first structure of a request in `op_in`, and
/// everything else in separate memory.
final class FuseLayout {
  static final int IN_LEN = 0;
  static final int IN_OPCODE = 4;
  static final int IN_UNIQUE = 8;
  static final int IN_NODEID = 16;
  static final int IN_UID = 24;
  static final int IN_GID = 28;
  static final int IN_PID = 32;
  static final int IN_BYTES = 40;

  static final int OUT_LEN = 0;
  static final int OUT_ERROR = 4;
  static final int OUT_UNIQUE = 8;
  static final int OUT_BYTES = 16;

  static final int NOTICE_INO = 0;
  static final int NOTICE_OFF = 8;
  static final int NOTICE_LEN = 16;
  static final int NOTICE_BYTES = 24;

  static final int INIT_MAJOR = 0;
  static final int INIT_MINOR = 4;
  static final int INIT_MAX_READAHEAD = 8;
  static final int INIT_FLAGS = 12;
  static final int INIT_IN_BYTES = 16;
  static final int INIT_IN_FLAGS2 = 16;
  static final int INIT_MAX_BACKGROUND = 16;
  static final int INIT_CONGESTION = 18;
  static final int INIT_MAX_WRITE = 20;
  static final int INIT_TIME_GRAN = 24;
  static final int INIT_MAX_PAGES = 28;
  static final int INIT_FLAGS2 = 32;
  static final int INIT_OUT_BYTES = 64;

  static final int ATTR_INO = 0;
  static final int ATTR_SIZE = 8;
  static final int ATTR_BLOCKS = 16;
  static final int ATTR_ATIME = 24;
  static final int ATTR_MTIME = 32;
  static final int ATTR_CTIME = 40;
  static final int ATTR_ATIME_NSEC = 48;
  static final int ATTR_MTIME_NSEC = 52;
  static final int ATTR_CTIME_NSEC = 56;
  static final int ATTR_MODE = 60;
  static final int ATTR_NLINK = 64;
  static final int ATTR_UID = 68;
  static final int ATTR_GID = 72;
  static final int ATTR_RDEV = 76;
  static final int ATTR_BLKSIZE = 80;
  static final int ATTR_BYTES = 88;

  static final int ENTRY_NODEID = 0;
  static final int ENTRY_GENERATION = 8;
  static final int ENTRY_VALID = 16;
  static final int ENTRY_ATTR_VALID = 24;
  static final int ENTRY_ATTR = 40;
  static final int ENTRY_BYTES = 128;

  static final int ATTR_OUT_VALID = 0;
  static final int ATTR_OUT_ATTR = 16;
  static final int ATTR_OUT_BYTES = 104;

  static final int OPEN_OUT_FLAGS = 8;
  static final int OPEN_OUT_BYTES = 16;

  static final int DIRENT_INO = 0;
  static final int DIRENT_OFF = 8;
  static final int DIRENT_NAMELEN = 16;
  static final int DIRENT_TYPE = 20;
  static final int DIRENT_NAME = 24;

  static final int STATFS_BLOCKS = 0;
  static final int STATFS_BFREE = 8;
  static final int STATFS_BAVAIL = 16;
  static final int STATFS_FILES = 24;
  static final int STATFS_FFREE = 32;
  static final int STATFS_BSIZE = 40;
  static final int STATFS_NAMELEN = 44;
  static final int STATFS_FRSIZE = 48;
  static final int STATFS_BYTES = 80;

  static final int SETATTR_VALID = 0;
  static final int SETATTR_SIZE = 16;
  static final int SETATTR_ATIME = 32;
  static final int SETATTR_MTIME = 40;
  static final int SETATTR_ATIME_NSEC = 56;
  static final int SETATTR_MTIME_NSEC = 60;
  static final int SETATTR_MODE = 68;
  static final int SETATTR_UID = 76;
  static final int SETATTR_GID = 80;
  static final int SETATTR_BYTES = 88;

  static final int IO_OFFSET = 8;
  static final int IO_SIZE = 16;
  static final int IO_FLAGS = 20;
  static final int IO_BYTES = 40;

  static final int FORGET_BYTES = 8;
  static final int BATCH_FORGET_BYTES = 8;
  static final int FORGET_ONE_BYTES = 16;

  static final int MKNOD_MODE = 0;
  static final int MKNOD_RDEV = 4;
  static final int MKNOD_BYTES = 16;
  static final int MKDIR_MODE = 0;
  static final int MKDIR_BYTES = 8;
  static final int CREATE_MODE = 4;
  static final int CREATE_BYTES = 16;
  static final int LINK_BYTES = 8;
  static final int RENAME_BYTES = 8;
  static final int RENAME2_FLAGS = 8;
  static final int RENAME2_BYTES = 16;

  static final int FSYNC_FLAGS = 8;
  static final int FSYNC_BYTES = 16;
  static final int ACCESS_BYTES = 8;
  static final int XATTR_SIZE = 0;
  static final int XATTR_FLAGS = 4;
  static final int XATTR_BYTES = 8;
  static final int XATTR_EXTENDED_BYTES = 16;
  static final int FALLOCATE_OFFSET = 8;
  static final int FALLOCATE_LENGTH = 16;
  static final int FALLOCATE_MODE = 24;
  static final int FALLOCATE_BYTES = 32;
  static final int LSEEK_OFFSET = 8;
  static final int LSEEK_WHENCE = 16;
  static final int LSEEK_BYTES = 24;

  /// Since protocol 7.42.
  static final int RING_HEADER_OP_IN = 128;

  static final int RING_HEADER_RING_ENT_IN_OUT = 256;
  static final int RING_HEADER_BYTES = 288;
  static final int RING_ENTRY_COMMIT_ID = 8;
  static final int RING_ENTRY_PAYLOAD_SZ = 16;
  static final int RING_ENTRY_BYTES = 32;

  /// Since protocol 7.39. The reply is 32 bytes and a `fuse_statx`, which has the layout of
  /// `statx(2)`.
  static final int STATX_IN_BYTES = 24;

  static final int STATX_OUT_STAT = 32;
  static final int STATX_OUT_BYTES = 288;

  private FuseLayout() {}

  /// Returns a size rounded up to a multiple of eight, at which the next entry begins.
  static int padded(int bytes) {
    return (bytes + 7) & ~7;
  }
}
