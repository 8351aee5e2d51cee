package sluice.nfs.v4;

/// Numbers of the attributes that this server has (RFC 8881, sections 5.6 to 5.8), and the sets
/// they form. Constants: any thread may use them.
final class Nfs4Attribute {
  static final int SUPPORTED_ATTRS = 0;
  static final int TYPE = 1;
  static final int FH_EXPIRE_TYPE = 2;
  static final int CHANGE = 3;
  static final int SIZE = 4;
  static final int LINK_SUPPORT = 5;
  static final int SYMLINK_SUPPORT = 6;
  static final int NAMED_ATTR = 7;
  static final int FSID = 8;
  static final int UNIQUE_HANDLES = 9;
  static final int LEASE_TIME = 10;
  static final int RDATTR_ERROR = 11;
  static final int ACLSUPPORT = 13;
  static final int CANSETTIME = 15;
  static final int CASE_INSENSITIVE = 16;
  static final int CASE_PRESERVING = 17;
  static final int CHOWN_RESTRICTED = 18;
  static final int FILEHANDLE = 19;
  static final int FILEID = 20;
  static final int FILES_AVAIL = 21;
  static final int FILES_FREE = 22;
  static final int FILES_TOTAL = 23;
  static final int HOMOGENEOUS = 26;
  static final int MAXFILESIZE = 27;
  static final int MAXLINK = 28;
  static final int MAXNAME = 29;
  static final int MAXREAD = 30;
  static final int MAXWRITE = 31;
  static final int MODE = 33;
  static final int NO_TRUNC = 34;
  static final int NUMLINKS = 35;
  static final int OWNER = 36;
  static final int OWNER_GROUP = 37;
  static final int RAWDEV = 41;
  static final int SPACE_AVAIL = 42;
  static final int SPACE_FREE = 43;
  static final int SPACE_TOTAL = 44;
  static final int SPACE_USED = 45;
  static final int TIME_ACCESS = 47;
  static final int TIME_ACCESS_SET = 48;
  static final int TIME_CREATE = 50;
  static final int TIME_DELTA = 51;
  static final int TIME_METADATA = 52;
  static final int TIME_MODIFY = 53;
  static final int TIME_MODIFY_SET = 54;
  static final int MOUNTED_ON_FILEID = 55;
  static final int FS_LAYOUT_TYPE = 62;
  static final int SUPPATTR_EXCLCREAT = 75;

  /// Those that are only set.
  static final Bitmap WRITE_ONLY = Bitmap.of(TIME_ACCESS_SET, TIME_MODIFY_SET);

  /// Those that an exclusive creation can set: its verifier is kept in the two times.
  static final Bitmap EXCLUSIVE = Bitmap.of(SIZE, MODE, OWNER, OWNER_GROUP);

  /// Those that can be set.
  static final Bitmap WRITABLE =
      Bitmap.of(SIZE, MODE, OWNER, OWNER_GROUP, TIME_ACCESS_SET, TIME_MODIFY_SET);

  /// Those that the tree is asked for, and not the file.
  static final Bitmap OF_TREE =
      Bitmap.of(FILES_AVAIL, FILES_FREE, FILES_TOTAL, SPACE_AVAIL, SPACE_FREE, SPACE_TOTAL);

  static final Bitmap SUPPORTED =
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

  /// Those that can be asked for.
  static final Bitmap READABLE = SUPPORTED.without(WRITE_ONLY);

  private Nfs4Attribute() {}
}
