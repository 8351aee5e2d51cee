package sluice.fs;

import java.util.Arrays;

/// The caller of a file operation: the ids against which permissions are checked, and to which new
/// files belong. Immutable and safe for use by any thread.
public final class Caller {
  /// The superuser, which may do everything.
  public static final Caller ROOT = new Caller(0, 0);

  private final int uid;
  private final int gid;
  private final int[] groups;
  private final boolean checked;
  private final boolean keepsSetId;

  /// Creates a caller whose permissions are checked.
  ///
  /// @param groups supplementary groups, copied
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

  /// Returns a caller whose permissions were already checked, as the kernel does for FUSE.
  /// Everything is permitted, and new files belong to these ids.
  public static Caller checked(int uid, int gid) {
    return new Caller(uid, gid, true, true, new int[0]);
  }

  /// Returns a caller like [#checked(int, int)], for a change that may clear set-id bits.
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

  /// Returns true if permissions do not restrict the caller.
  public boolean privileged() {
    return checked || uid == 0;
  }

  /// Returns true if set-user-id and set-group-id survive when this caller changes the content of a
  /// file, as with the capability `CAP_FSETID` of `capabilities(7)`.
  public boolean keepsSetId() {
    return keepsSetId;
  }

  /// Returns true if `group` is the caller's group or a supplementary group.
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
