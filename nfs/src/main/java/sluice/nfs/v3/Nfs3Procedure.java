package sluice.nfs.v3;

import org.jspecify.annotations.Nullable;

/// The procedures of NFSv3 (RFC 1813, section 3.3). Each constant specifies the attributes that
/// follow the status of a refusal, and whether the procedure is non-idempotent.
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

  /// The attributes that follow the status of a refusal.
  enum Refusal {
    NOTHING,
    /// A `post_op_attr` of the first file.
    ATTRIBUTES,
    /// A `wcc_data` of the first file.
    WCC,
    /// A `wcc_data` of both files.
    TWO_WCC,
    /// A `post_op_attr` of the first file and a `wcc_data` of the second.
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

  /// Returns the procedure number.
  public int number() {
    return number;
  }

  Refusal refusal() {
    return refusal;
  }

  /// Returns true if the procedure is not idempotent, in which case its replies are cached.
  boolean once() {
    return once;
  }
}
