package sluice.fs;

/// A change of file attributes. Immutable: each `with…` method returns a new object. Safe for use
/// by any thread.
///
/// @param set the bits of the attributes to change, such as [#MODE]
/// @param mode permission bits, 12 bits
/// @param uid new owner
/// @param gid new group
/// @param sizeBytes new length
/// @param accessNanos new time of last read, or [#NOW]
/// @param modifyNanos new time of last change of the content, or [#NOW]
public record AttributeChange(
    int set, int mode, int uid, int gid, long sizeBytes, long accessNanos, long modifyNanos) {
  public static final int MODE = 1;
  public static final int UID = 2;
  public static final int GID = 4;
  public static final int SIZE = 8;
  public static final int ACCESS = 16;
  public static final int MODIFY = 32;

  /// Changes the size through an open file: the permission was checked when the file was opened.
  public static final int OPENED = 64;

  /// Clears set-user-id and set-group-id, as after a write by an unprivileged caller.
  public static final int KILL_SET_ID = 128;

  /// The current time of the server, as `UTIME_NOW`.
  public static final long NOW = Long.MIN_VALUE;

  /// The empty change.
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

  /// Returns a change of the size of a file that was opened for writing.
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

  /// Returns a change that clears set-user-id, and set-group-id if the group may execute.
  public AttributeChange withoutSetId() {
    return new AttributeChange(
        set | KILL_SET_ID, mode, uid, gid, sizeBytes, accessNanos, modifyNanos);
  }

  public boolean has(int bits) {
    return (set & bits) != 0;
  }
}
