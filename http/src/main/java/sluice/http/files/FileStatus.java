package sluice.http.files;

/// What `statx(2)` says about a file, in a form that can be filled again and again.
///
/// Owned by the thread that fills it. A time is two numbers, as the kernel tells it: one `long` of
/// nanoseconds reaches from 1678 to 2262 only, and files have times beyond (`touch -d 2500-01-01`).
public final class FileStatus {
  static final int OTHER = 0;
  static final int REGULAR = 1;
  static final int DIRECTORY = 2;
  static final int SYMLINK = 3;

  private static final long SECOND = 1_000_000_000L;

  /// Bounds of what is told in one `long`, with room to add and to subtract.
  private static final long LEAST_SECONDS = Long.MIN_VALUE / 4 / SECOND;

  private static final long MOST_SECONDS = Long.MAX_VALUE / SECOND - 10_000;

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

  /// Seconds since 1970, negative before.
  long modifiedSeconds;

  /// Of the second, 0 to 999 999 999.
  int modifiedNanos;

  long changedSeconds;
  int changedNanos;

  boolean isRegular() {
    return kind == REGULAR;
  }

  boolean isDirectory() {
    return kind == DIRECTORY;
  }

  boolean isSymlink() {
    return kind == SYMLINK;
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
    modifiedSeconds = that.modifiedSeconds;
    modifiedNanos = that.modifiedNanos;
    changedSeconds = that.changedSeconds;
    changedNanos = that.changedNanos;
  }

  /// The modification time in nanoseconds since 1970, for ages and dates to come: what lies before
  /// 1896 or after 2262 is moved to the nearest of them. Not for comparing two files.
  long modifiedAt() {
    return at(modifiedSeconds, modifiedNanos);
  }

  /// As [#modifiedAt], of the change time.
  long changedAt() {
    return at(changedSeconds, changedNanos);
  }

  private static long at(long seconds, int nanos) {
    return Math.clamp(seconds, LEAST_SECONDS, MOST_SECONDS) * SECOND + nanos;
  }

  /// Whether this was modified earlier than that, whatever the century.
  boolean modifiedBefore(FileStatus that) {
    return modifiedSeconds < that.modifiedSeconds
        || (modifiedSeconds == that.modifiedSeconds && modifiedNanos < that.modifiedNanos);
  }

  /// Whether both are of one file in one state: nothing was written, resized, renamed, linked or
  /// re-permitted in between.
  boolean sameState(FileStatus that) {
    return sameContent(that)
        && changedSeconds == that.changedSeconds
        && changedNanos == that.changedNanos;
  }

  /// Whether both are of one file, with one size and modification time.
  boolean sameContent(FileStatus that) {
    return device == that.device
        && inode == that.inode
        && kind == that.kind
        && sizeBytes == that.sizeBytes
        && modifiedSeconds == that.modifiedSeconds
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
        + modifiedSeconds
        + " s, changed "
        + changedSeconds
        + " s";
  }
}
