package sluice.fs;

/// A change to the attributes of a file. Instances are immutable, and each `with…` method returns a
/// new object. This class is thread-safe.
///
/// @param set the bits of the attributes to change, such as [#MODE]
/// @param mode the new mode, 12 permission bits
/// @param uid the new owner
/// @param gid the new group
/// @param sizeBytes the new length
/// @param accessNanos the new time of the last read, or [#NOW]
/// @param modifyNanos the new time of the last change of the content, or [#NOW]
public record AttributeChange(
    int set, int mode, int uid, int gid, long sizeBytes, long accessNanos, long modifyNanos) {
  public static final int MODE = 1;
  public static final int UID = 2;
  public static final int GID = 4;
  public static final int SIZE = 8;
  public static final int ACCESS = 16;
  public static final int MODIFY = 32;

  /// The size is changed through an open file, so the permission was already checked when the file
  /// was opened.
  public static final int OPENED = 64;

  /// The set-user-id and set-group-id bits are cleared, as they are after a write by an
  /// unprivileged caller.
  public static final int KILL_SET_ID = 128;

  /// The current time of the server, like `UTIME_NOW`.
  public static final long NOW = Long.MIN_VALUE;

  /// A change that does not change any attribute.
  public static final AttributeChange NONE = new AttributeChange(0, 0, 0, 0, 0, 0, 0);

  public AttributeChange withMode(int permissions) {
    return new AttributeChange(
        set | MODE, permissions & 0xFFF, uid, gid, sizeBytes, accessNanos, modifyNanos);
  }

  public AttributeChange withOwner(int owner) {
    return new AttributeChange(set | UID, mode, owner, gid, sizeBytes, accessNanos, modifyNanos);
  }

  public AttributeChange withGroup(int group) {
    return new AttributeChange(set | GID, mode, uid, group, sizeBytes, accessNanos, modifyNanos);
  }

  public AttributeChange withSize(long bytes) {
    return new AttributeChange(set | SIZE, mode, uid, gid, bytes, accessNanos, modifyNanos);
  }

  /// Returns a copy of this change that also sets the size of a file that was opened for writing.
  public AttributeChange withSizeOfOpened(long bytes) {
    return new AttributeChange(
        set | SIZE | OPENED, mode, uid, gid, bytes, accessNanos, modifyNanos);
  }

  public AttributeChange withAccess(long nanos) {
    return new AttributeChange(set | ACCESS, mode, uid, gid, sizeBytes, nanos, modifyNanos);
  }

  public AttributeChange withModify(long nanos) {
    return new AttributeChange(set | MODIFY, mode, uid, gid, sizeBytes, accessNanos, nanos);
  }

  /// Returns a copy of this change that also clears set-user-id, and clears set-group-id if the
  /// file is executable by its group.
  public AttributeChange withoutSetId() {
    return new AttributeChange(
        set | KILL_SET_ID, mode, uid, gid, sizeBytes, accessNanos, modifyNanos);
  }

  public boolean has(int bits) {
    return (set & bits) != 0;
  }
}
