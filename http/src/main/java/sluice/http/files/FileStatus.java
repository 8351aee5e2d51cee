package sluice.http.files;

/// The result of `statx(2)` for a file, in a reusable object.
///
/// This object is owned by the thread that fills it. A time is stored as two numbers, as the kernel
/// returns it, because a single `long` of nanoseconds only covers the years 1678 to 2262 and files
/// may have times outside of that range (`touch -d 2500-01-01`).
public final class FileStatus {
  static final int OTHER = 0;
  static final int REGULAR = 1;
  static final int DIRECTORY = 2;
  static final int SYMLINK = 3;

  private static final long SECOND = 1_000_000_000L;

  /// The bounds of times that are returned as a single `long`, which leave a margin for arithmetic.
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

  /// The modification time in seconds since 1970, negative for earlier times.
  long modifiedSeconds;

  /// The nanoseconds within the second, from 0 to 999 999 999.
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

  /// Returns the modification time in nanoseconds since 1970, which can be used to compute ages and
  /// deadlines. Times before 1896 and after 2262 are clamped to these bounds, so this value must
  /// not be used to compare two files.
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

  /// Returns true if this file was modified earlier than `that`. The comparison is exact for all
  /// times, including those that [#modifiedAt] clamps.
  boolean modifiedBefore(FileStatus that) {
    return modifiedSeconds < that.modifiedSeconds
        || (modifiedSeconds == that.modifiedSeconds && modifiedNanos < that.modifiedNanos);
  }

  /// Returns true if both describe the same file in the same state. The file has then not been
  /// written, resized, renamed or linked in between, and its permissions have not changed.
  boolean sameState(FileStatus that) {
    return sameContent(that)
        && changedSeconds == that.changedSeconds
        && changedNanos == that.changedNanos;
  }

  /// Returns true if both describe the same file with the same size and modification time.
  boolean sameContent(FileStatus that) {
    return device == that.device
        && inode == that.inode
        && kind == that.kind
        && sizeBytes == that.sizeBytes
        && modifiedSeconds == that.modifiedSeconds
        && modifiedNanos == that.modifiedNanos;
  }

  /// Returns true if the link count, the permissions or the owner differ. Such changes update the
  /// change time but do not affect the content.
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
