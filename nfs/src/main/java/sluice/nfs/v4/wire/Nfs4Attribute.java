package sluice.nfs.v4.wire;

/// The numbers of the supported attributes (RFC 8881, sections 5.6 to 5.8), and sets of them.
public final class Nfs4Attribute {
  public static final int SUPPORTED_ATTRS = 0;
  public static final int TYPE = 1;
  public static final int FH_EXPIRE_TYPE = 2;
  public static final int CHANGE = 3;
  public static final int SIZE = 4;
  static final int LINK_SUPPORT = 5;
  static final int SYMLINK_SUPPORT = 6;
  public static final int NAMED_ATTR = 7;
  public static final int FSID = 8;
  static final int UNIQUE_HANDLES = 9;
  public static final int LEASE_TIME = 10;
  public static final int RDATTR_ERROR = 11;
  public static final int ACLSUPPORT = 13;
  static final int CANSETTIME = 15;
  public static final int CASE_INSENSITIVE = 16;
  static final int CASE_PRESERVING = 17;
  static final int CHOWN_RESTRICTED = 18;
  public static final int FILEHANDLE = 19;
  public static final int FILEID = 20;
  public static final int FILES_AVAIL = 21;
  public static final int FILES_FREE = 22;
  public static final int FILES_TOTAL = 23;
  static final int HOMOGENEOUS = 26;
  public static final int MAXFILESIZE = 27;
  public static final int MAXLINK = 28;
  public static final int MAXNAME = 29;
  public static final int MAXREAD = 30;
  public static final int MAXWRITE = 31;
  public static final int MODE = 33;
  public static final int NO_TRUNC = 34;
  public static final int NUMLINKS = 35;
  public static final int OWNER = 36;
  public static final int OWNER_GROUP = 37;
  public static final int RAWDEV = 41;
  public static final int SPACE_AVAIL = 42;
  public static final int SPACE_FREE = 43;
  public static final int SPACE_TOTAL = 44;
  public static final int SPACE_USED = 45;
  public static final int TIME_ACCESS = 47;
  static final int TIME_ACCESS_SET = 48;
  public static final int TIME_CREATE = 50;
  public static final int TIME_DELTA = 51;
  public static final int TIME_METADATA = 52;
  public static final int TIME_MODIFY = 53;
  public static final int TIME_MODIFY_SET = 54;
  public static final int MOUNTED_ON_FILEID = 55;
  public static final int FS_LAYOUT_TYPE = 62;
  public static final int SUPPATTR_EXCLCREAT = 75;

  /// The attributes that can only be set.
  public static final Bitmap WRITE_ONLY = Bitmap.of(TIME_ACCESS_SET, TIME_MODIFY_SET);

  /// The attributes that can be set by an exclusive creation. The times are not included because
  /// they store the verifier.
  public static final Bitmap EXCLUSIVE = Bitmap.of(SIZE, MODE, OWNER, OWNER_GROUP);

  /// The attributes that can be set.
  static final Bitmap WRITABLE =
      Bitmap.of(SIZE, MODE, OWNER, OWNER_GROUP, TIME_ACCESS_SET, TIME_MODIFY_SET);

  /// The attributes that describe the file system rather than the file.
  public static final Bitmap OF_TREE =
      Bitmap.of(FILES_AVAIL, FILES_FREE, FILES_TOTAL, SPACE_AVAIL, SPACE_FREE, SPACE_TOTAL);

  public static final Bitmap SUPPORTED =
      Bitmap.of(
          SUPPORTED_ATTRS,
          TYPE,
          FH_EXPIRE_TYPE,
          CHANGE,
          SIZE,
          LINK_SUPPORT,
          SYMLINK_SUPPORT,
          NAMED_ATTR,
          FSID,
          UNIQUE_HANDLES,
          LEASE_TIME,
          RDATTR_ERROR,
          ACLSUPPORT,
          CANSETTIME,
          CASE_INSENSITIVE,
          CASE_PRESERVING,
          CHOWN_RESTRICTED,
          FILEHANDLE,
          FILEID,
          FILES_AVAIL,
          FILES_FREE,
          FILES_TOTAL,
          HOMOGENEOUS,
          MAXFILESIZE,
          MAXLINK,
          MAXNAME,
          MAXREAD,
          MAXWRITE,
          MODE,
          NO_TRUNC,
          NUMLINKS,
          OWNER,
          OWNER_GROUP,
          RAWDEV,
          SPACE_AVAIL,
          SPACE_FREE,
          SPACE_TOTAL,
          SPACE_USED,
          TIME_ACCESS,
          TIME_ACCESS_SET,
          TIME_CREATE,
          TIME_DELTA,
          TIME_METADATA,
          TIME_MODIFY,
          TIME_MODIFY_SET,
          MOUNTED_ON_FILEID,
          FS_LAYOUT_TYPE,
          SUPPATTR_EXCLCREAT);

  /// The attributes that can be read.
  public static final Bitmap READABLE = SUPPORTED.without(WRITE_ONLY);

  private Nfs4Attribute() {}
}
