package sluice.fs;

import java.util.Arrays;

/// The caller: the ids that permissions are checked against, and that new files belong to.
/// Immutable: any thread may use it.
public final class Caller {
  /// May do everything.
  public static final Caller ROOT = new Caller(0, 0);

  private final int uid;
  private final int gid;
  private final int[] groups;
  private final boolean checked;
  private final boolean keepsSetId;

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

  /// A caller with permissions that are checked already, as the kernel does for FUSE: nothing is
  /// refused him, and what he makes is his.
  public static Caller checked(int uid, int gid) {
    return new Caller(uid, gid, true, true, new int[0]);
  }

  /// As [#checked] for a change that takes set-id bits away.
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

  /// A copy of the supplementary groups.
  public int[] groups() {
    return groups.clone();
  }

  /// Whether permissions do not hold it back.
  public boolean privileged() {
    return checked || uid == 0;
  }

  /// Whether set-user-id and set-group-id stay when this caller changes the content of a file, as
  /// with the capability `CAP_FSETID` of `capabilities(7)`.
  public boolean keepsSetId() {
    return keepsSetId;
  }

  /// Whether `group` is its group or one of its supplementary groups.
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
