package sluice.nfs.v3;

import org.jspecify.annotations.Nullable;

/// The procedures of NFSv3 (RFC 1813, section 3.3): what a refusal carries beside its status, and
/// whether a call must not be done twice. Any thread may use it.
public enum Nfs3Procedure {
  NULL(0, Refusal.NOTHING, false),
  GETATTR(1, Refusal.NOTHING, false),
  SETATTR(2, Refusal.WCC, true),
  LOOKUP(3, Refusal.ATTRIBUTES, false),
  ACCESS(4, Refusal.ATTRIBUTES, false),
  READLINK(5, Refusal.ATTRIBUTES, false),
  READ(6, Refusal.ATTRIBUTES, false),
  WRITE(7, Refusal.WCC, true),
  CREATE(8, Refusal.WCC, true),
  MKDIR(9, Refusal.WCC, true),
  SYMLINK(10, Refusal.WCC, true),
  MKNOD(11, Refusal.WCC, true),
  REMOVE(12, Refusal.WCC, true),
  RMDIR(13, Refusal.WCC, true),
  RENAME(14, Refusal.TWO_WCC, true),
  LINK(15, Refusal.ATTRIBUTES_AND_WCC, true),
  READDIR(16, Refusal.ATTRIBUTES, false),
  READDIRPLUS(17, Refusal.ATTRIBUTES, false),
  FSSTAT(18, Refusal.ATTRIBUTES, false),
  FSINFO(19, Refusal.ATTRIBUTES, false),
  PATHCONF(20, Refusal.ATTRIBUTES, false),
  COMMIT(21, Refusal.WCC, false);

  /// What follows the status of a refusal.
  enum Refusal {
    NOTHING,
    /// `post_op_attr` of the first file.
    ATTRIBUTES,
    /// `wcc_data` of the first file.
    WCC,
    /// `wcc_data` of both.
    TWO_WCC,
    /// `post_op_attr` of the first, `wcc_data` of the second.
    ATTRIBUTES_AND_WCC
  }

  private static final Nfs3Procedure[] ALL = values();

  private final int number;
  private final Refusal refusal;
  private final boolean once;

  Nfs3Procedure(int number, Refusal refusal, boolean once) {
    this.number = number;
    this.refusal = refusal;
    this.once = once;
  }

  static @Nullable Nfs3Procedure of(int number) {
    return number >= 0 && number < ALL.length ? ALL[number] : null;
  }

  /// As in a call.
  public int number() {
    return number;
  }

  Refusal refusal() {
    return refusal;
  }

  /// Whether its answer is kept, because doing it again would give another.
  boolean once() {
    return once;
  }
}
