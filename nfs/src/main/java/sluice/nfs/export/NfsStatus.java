package sluice.nfs.export;

import sluice.fs.FsException;
import sluice.sys.Errno;

/// The status codes that NFSv3 (RFC 1813, section 2.6) and NFSv4.1 (RFC 8881, section 15.1) share.
public final class NfsStatus {
  public static final int OK = 0;
  public static final int PERM = 1;
  public static final int NOENT = 2;
  public static final int IO = 5;
  public static final int NXIO = 6;
  public static final int ACCES = 13;
  public static final int EXIST = 17;
  public static final int XDEV = 18;
  public static final int NODEV = 19;
  public static final int NOTDIR = 20;
  public static final int ISDIR = 21;
  public static final int INVAL = 22;
  public static final int FBIG = 27;
  public static final int NOSPC = 28;
  public static final int ROFS = 30;
  public static final int MLINK = 31;
  public static final int NAMETOOLONG = 63;
  public static final int NOTEMPTY = 66;
  public static final int DQUOT = 69;
  public static final int STALE = 70;
  public static final int BADHANDLE = 10001;
  public static final int NOT_SYNC = 10002;
  public static final int BAD_COOKIE = 10003;
  public static final int NOTSUPP = 10004;
  public static final int TOOSMALL = 10005;
  public static final int SERVERFAULT = 10006;
  public static final int BADTYPE = 10007;

  /// The request cannot be processed now, and the client must try again later. NFSv4 calls this
  /// status `DELAY`.
  public static final int JUKEBOX = 10008;

  private NfsStatus() {}

  public static int of(FsException refused) {
    return switch (refused.errno()) {
      case Errno.EPERM -> PERM;
      case Errno.ENOENT -> NOENT;
      case Errno.ENXIO -> NXIO;
      case Errno.EACCES -> ACCES;
      case Errno.EEXIST -> EXIST;
      case Errno.EXDEV -> XDEV;
      case Errno.ENODEV -> NODEV;
      case Errno.ENOTDIR -> NOTDIR;
      case Errno.EISDIR -> ISDIR;
      case Errno.EINVAL -> INVAL;
      case Errno.EFBIG -> FBIG;
      case Errno.ENOSPC -> NOSPC;
      case Errno.EROFS -> ROFS;
      case Errno.EMLINK -> MLINK;
      case Errno.ENAMETOOLONG -> NAMETOOLONG;
      case Errno.ENOTEMPTY -> NOTEMPTY;
      case Errno.EDQUOT -> DQUOT;
      case Errno.ESTALE -> STALE;
      case Errno.EOPNOTSUPP, Errno.ENOSYS -> NOTSUPP;
      // Memory or a name is in use by other calls temporarily.
      case Errno.ENOMEM, Errno.EAGAIN -> JUKEBOX;
      default -> IO;
    };
  }
}
