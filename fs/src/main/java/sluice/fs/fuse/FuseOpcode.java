package sluice.fs.fuse;

/// The operations and flags of `linux/fuse.h`, which have the same names as in that file without
/// the prefix `FUSE_`. This class contains only constants and is thread-safe.
final class FuseOpcode {
  static final int LOOKUP = 1;
  static final int FORGET = 2;
  static final int GETATTR = 3;
  static final int SETATTR = 4;
  static final int READLINK = 5;
  static final int SYMLINK = 6;
  static final int MKNOD = 8;
  static final int MKDIR = 9;
  static final int UNLINK = 10;
  static final int RMDIR = 11;
  static final int RENAME = 12;
  static final int LINK = 13;
  static final int OPEN = 14;
  static final int READ = 15;
  static final int WRITE = 16;
  static final int STATFS = 17;
  static final int RELEASE = 18;
  static final int FSYNC = 20;
  static final int SETXATTR = 21;
  static final int GETXATTR = 22;
  static final int LISTXATTR = 23;
  static final int REMOVEXATTR = 24;
  static final int FLUSH = 25;
  static final int INIT = 26;
  static final int OPENDIR = 27;
  static final int READDIR = 28;
  static final int RELEASEDIR = 29;
  static final int FSYNCDIR = 30;
  static final int ACCESS = 34;
  static final int CREATE = 35;
  static final int INTERRUPT = 36;
  static final int DESTROY = 38;
  static final int NOTIFY_REPLY = 41;
  static final int BATCH_FORGET = 42;
  static final int FALLOCATE = 43;
  static final int READDIRPLUS = 44;
  static final int RENAME2 = 45;
  static final int LSEEK = 46;
  static final int COPY_FILE_RANGE = 47;
  static final int SYNCFS = 50;
  static final int STATX = 52;

  /// A value of the errno field that identifies a message that is not a reply.
  static final int NOTIFY_INVAL_INODE = 2;

  /// The major version of the protocol. The minor version [#MIN_MINOR] was introduced by Linux 5.4.
  static final int MAJOR = 7;

  static final int MINOR = 42;
  static final int MIN_MINOR = 31;

  /// The node number of the root.
  static final long ROOT_ID = 1;

  static final int ASYNC_READ = 1;
  static final int EXPORT_SUPPORT = 1 << 4;
  static final int BIG_WRITES = 1 << 5;
  static final int DO_READDIRPLUS = 1 << 13;
  static final int READDIRPLUS_AUTO = 1 << 14;
  static final int ASYNC_DIO = 1 << 15; // not requested: see FuseSession
  static final int NO_OPEN_SUPPORT = 1 << 17;
  static final int PARALLEL_DIROPS = 1 << 18;
  static final int MAX_PAGES = 1 << 22;
  static final int CACHE_SYMLINKS = 1 << 23;
  static final int NO_OPENDIR_SUPPORT = 1 << 24;
  static final int HANDLE_KILLPRIV_V2 = 1 << 28;
  static final int SETXATTR_EXT = 1 << 29;

  /// Declares that there is a second word of flags, which contains the flags from 1 << 32 on.
  static final int INIT_EXT = 1 << 30;

  static final long OVER_IO_URING = 1L << 41;

  /// Allows shared memory maps of files that bypass the kernel's page cache.
  static final long DIRECT_IO_ALLOW_MMAP = 1L << 36;

  static final int FOPEN_DIRECT_IO = 1;
  static final int FOPEN_KEEP_CACHE = 1 << 1;
  static final int FOPEN_CACHE_DIR = 1 << 3;

  static final int FATTR_MODE = 1;
  static final int FATTR_UID = 1 << 1;
  static final int FATTR_GID = 1 << 2;
  static final int FATTR_SIZE = 1 << 3;
  static final int FATTR_ATIME = 1 << 4;
  static final int FATTR_MTIME = 1 << 5;
  static final int FATTR_ATIME_NOW = 1 << 7;
  static final int FATTR_MTIME_NOW = 1 << 8;
  static final int FATTR_KILL_SUIDGID = 1 << 11;

  static final int WRITE_CACHE = 1;
  static final int WRITE_KILL_SUIDGID = 1 << 2;
  static final int FSYNC_FDATASYNC = 1;

  private FuseOpcode() {}
}
