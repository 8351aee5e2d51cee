package sluice.http;

/// What `statx(2)` says about a file, in a form that can be filled again and again.
///
/// Owned by whoever fills it. Times are nanoseconds since the epoch, exact from 1678 to 2262.
final class FileStatus {
  static final int OTHER = 0;
  static final int REGULAR = 1;
  static final int DIRECTORY = 2;
  static final int SYMLINK = 3;

  /// One of [#REGULAR], [#DIRECTORY], [#SYMLINK], [#OTHER].
  int kind;

  /// Permission bits.
  int mode;

  int uid;
  int gid;
  int links;
  long device;
  long inode;
  long sizeBytes;
  long modifiedNanos;
  long changedNanos;

  boolean isRegular() {
    return kind == REGULAR;
  }

  boolean isDirectory() {
    return kind == DIRECTORY;
  }

  void copyFrom(FileStatus that) {
    kind = that.kind;
    mode = that.mode;
    uid = that.uid;
    gid = that.gid;
    links = that.links;
    device = that.device;
    inode = that.inode;
    sizeBytes = that.sizeBytes;
    modifiedNanos = that.modifiedNanos;
    changedNanos = that.changedNanos;
  }

  /// Whether both are of one file in one state: nothing was written, resized, renamed, linked or
  /// re-permitted in between.
  boolean sameState(FileStatus that) {
    return sameContent(that) && changedNanos == that.changedNanos;
  }

  /// Whether both are of one file, with one size and modification time.
  boolean sameContent(FileStatus that) {
    return device == that.device
        && inode == that.inode
        && kind == that.kind
        && sizeBytes == that.sizeBytes
        && modifiedNanos == that.modifiedNanos;
  }

  /// Whether a link, a permission or the owner differs: reasons for a new change time that leave
  /// the content alone.
  boolean differsInAttributes(FileStatus that) {
    return links != that.links || mode != that.mode || uid != that.uid || gid != that.gid;
  }

  @Override
  public String toString() {
    return "inode "
        + inode
        + ", "
        + sizeBytes
        + " bytes, modified "
        + modifiedNanos
        + ", changed "
        + changedNanos;
  }
}
