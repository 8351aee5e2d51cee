package sluice.fs;

import java.util.Arrays;

/// The caller of a file operation. It holds the ids that are used for permission checks and for the
/// ownership of new files. Instances are immutable and thread-safe.
public final class Caller {
  /// The superuser, to which permissions do not apply.
  public static final Caller ROOT = new Caller(0, 0);

  private final int uid;
  private final int gid;
  private final int[] groups;
  private final boolean checked;
  private final boolean keepsSetId;

  /// Creates a caller whose permissions are checked.
  ///
  /// @param groups the supplementary groups, which are copied
  public Caller(int uid, int gid, int... groups) {
    this(uid, gid, false, uid == 0, groups.clone());
  }

  private Caller(int uid, int gid, boolean checked, boolean keepsSetId, int[] groups) {
    this.uid = uid;
    this.gid = gid;
    this.checked = checked;
    this.keepsSetId = keepsSetId;
    this.groups = groups;
  }

  /// Returns a caller whose permissions were already checked elsewhere, as the kernel does for
  /// FUSE. All operations are permitted, and new files are owned by the given ids.
  public static Caller checked(int uid, int gid) {
    return new Caller(uid, gid, true, true, new int[0]);
  }

  /// Returns a caller like [#checked(int, int)] for a change that may clear the set-user-id and
  /// set-group-id bits.
  ///
  /// @param keepsSetId see [#keepsSetId]
  public static Caller checked(int uid, int gid, boolean keepsSetId, int... groups) {
    return new Caller(uid, gid, true, keepsSetId, groups.clone());
  }

  public int uid() {
    return uid;
  }

  public int gid() {
    return gid;
  }

  /// Returns a copy of the supplementary groups.
  public int[] groups() {
    return groups.clone();
  }

  /// Returns true if the caller is not subject to permission checks.
  public boolean privileged() {
    return checked || uid == 0;
  }

  /// Returns true if the set-user-id and set-group-id bits are preserved when this caller changes
  /// the content of a file, as with the capability `CAP_FSETID` in `capabilities(7)`.
  public boolean keepsSetId() {
    return keepsSetId;
  }

  /// Returns true if the given group is the caller's primary group or one of its supplementary
  /// groups.
  public boolean inGroup(int group) {
    if (group == gid) {
      return true;
    }
    for (int one : groups) {
      if (one == group) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Caller c
        && c.uid == uid
        && c.gid == gid
        && c.checked == checked
        && c.keepsSetId == keepsSetId
        && Arrays.equals(c.groups, groups);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * uid + gid) + Arrays.hashCode(groups);
  }

  @Override
  public String toString() {
    return "uid " + uid + ", gid " + gid + ", groups " + Arrays.toString(groups);
  }
}
