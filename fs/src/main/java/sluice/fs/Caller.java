package sluice.fs;

import java.util.Arrays;

/// Who asks: the ids that permissions are checked against, and that new files belong to. Immutable:
/// any thread may use it.
public final class Caller {
  /// May do everything.
  public static final Caller ROOT = new Caller(0, 0);

  private final int uid;
  private final int gid;
  private final int[] groups;
  private final boolean checked;

  /// @param groups supplementary groups, copied
  public Caller(int uid, int gid, int... groups) {
    this(uid, gid, false, groups.clone());
  }

  private Caller(int uid, int gid, boolean checked, int[] groups) {
    this.uid = uid;
    this.gid = gid;
    this.checked = checked;
    this.groups = groups;
  }

  /// One whose permissions somebody else has checked, as the kernel does for FUSE: nothing is
  /// refused him, and what he makes is his.
  public static Caller checked(int uid, int gid) {
    return new Caller(uid, gid, true, new int[0]);
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
