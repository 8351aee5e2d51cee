package sluice.http.files;

/// The result of `statx(2)` for a file, in an object that can be filled again and again.
///
/// Owned by the thread that fills it. A time is kept as two numbers, as the kernel returns it: one
/// `long` of nanoseconds covers only 1678 to 2262, and files may have times outside of that (`touch
/// -d 2500-01-01`).
public final class FileStatus {
  static final int OTHER = 0;
  static final int REGULAR = 1;
  static final int DIRECTORY = 2;
  static final int SYMLINK = 3;

  private static final long SECOND = 1_000_000_000L;

  /// The bounds of times that are returned in one `long`, with room for additions and subtractions.
  private static final long LEAST_SECONDS = Long.MIN_VALUE / 4 / SECOND;

  private static final long MOST_SECONDS = Long.MAX_VALUE / SECOND - 10_000;

  /// The file type: [#REGULAR], [#DIRECTORY], [#SYMLINK] or [#OTHER].
  int kind;

  /// The permission bits.
  int mode;

  int uid;
  int gid;
  int links;
  long device;
  long inode;
  long sizeBytes;

  /// Seconds since 1970; negative before.
  long modifiedSeconds;

  /// Nanoseconds within the second, 0 to 999 999 999.
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

  /// Returns the modification time in nanoseconds since 1970, for computing ages and deadlines.
  /// Times before 1896 and after 2262 are moved to the nearer of these bounds, so do not compare
  /// two files by it.
  long modifiedAt() {
    return at(modifiedSeconds, modifiedNanos);
  }

  /// Returns the change time; see [#modifiedAt].
  long changedAt() {
    return at(changedSeconds, changedNanos);
  }

  private static long at(long seconds, int nanos) {
    return Math.clamp(seconds, LEAST_SECONDS, MOST_SECONDS) * SECOND + nanos;
  }

  /// Returns true if this file was modified earlier than `that`. All times compare correctly, also
  /// those that [#modifiedAt] clamps.
  boolean modifiedBefore(FileStatus that) {
    return modifiedSeconds < that.modifiedSeconds
        || (modifiedSeconds == that.modifiedSeconds && modifiedNanos < that.modifiedNanos);
  }

  /// Returns true if both describe one file in one state: it was not written, resized, renamed or
  /// linked in between, and its permissions did not change.
  boolean sameState(FileStatus that) {
    return sameContent(that)
        && changedSeconds == that.changedSeconds
        && changedNanos == that.changedNanos;
  }

  /// Returns true if both describe one file with the same size and modification time.
  boolean sameContent(FileStatus that) {
    return device == that.device
        && inode == that.inode
        && kind == that.kind
        && sizeBytes == that.sizeBytes
        && modifiedSeconds == that.modifiedSeconds
        && modifiedNanos == that.modifiedNanos;
  }

  /// Returns true if the link count, the permissions or the owner differ. Such changes set a new
  /// change time but leave the content alone.
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
