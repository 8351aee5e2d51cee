package sluice.nfs.rpc;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// The user on whose behalf a client makes a call, as AUTH_NONE or AUTH_SYS credentials (RFC 5531,
/// section 8 and appendix A). Instances are immutable and thread-safe. Consecutive calls with the
/// same encoded credentials share one object.
public final class Credentials {
  static final int AUTH_NONE = 0;

  public static final int AUTH_SYS = 1;

  /// The maximum length of the body of an `opaque_auth`.
  static final int MAX_BODY_BYTES = 400;

  private static final int MAX_MACHINE_BYTES = 255;
  private static final int MAX_GROUPS = 16;

  /// The credentials of AUTH_NONE.
  static final Credentials NONE = new Credentials(AUTH_NONE, -1, -1, new int[0], "");

  private final int flavor;
  private final int uid;
  private final int gid;
  private final int[] groups;
  private final String machine;

  private Credentials(int flavor, int uid, int gid, int[] groups, String machine) {
    this.flavor = flavor;
    this.uid = uid;
    this.gid = gid;
    this.groups = groups;
    this.machine = machine;
  }

  static Credentials sys(int uid, int gid, String machine, int... groups) {
    return new Credentials(AUTH_SYS, uid, gid, groups.clone(), machine);
  }

  /// Decodes the body of an AUTH_SYS credential.
  ///
  /// @param bytes the length of the body; the reader is positioned after the body when this method
  ///   returns
  /// @throws RpcRefusal AUTH_BADCRED
  static Credentials decode(XdrReader from, int bytes) {
    try {
      int end = from.position() + bytes;
      from.int32(); // the stamp
      byte[] machine = from.opaque(MAX_MACHINE_BYTES);
      int uid = from.int32();
      int gid = from.int32();
      int count = from.length(MAX_GROUPS);
      int[] groups = new int[count];
      for (int i = 0; i < count; i++) {
        groups[i] = from.int32();
      }
      if (from.position() != end) {
        throw new RpcRefusal(RpcRefusal.AUTH_BADCRED);
      }
      String name = new String(machine, StandardCharsets.ISO_8859_1);
      return new Credentials(AUTH_SYS, uid, gid, groups, name);
    } catch (XdrException e) {
      throw new RpcRefusal(RpcRefusal.AUTH_BADCRED);
    }
  }

  /// Appends these credentials as an `opaque_auth`.
  void encode(XdrWriter to) {
    to.int32(flavor);
    int lengthAt = to.position();
    to.int32(0);
    if (flavor == AUTH_SYS) {
      to.int32(0).opaque(machine.getBytes(StandardCharsets.ISO_8859_1));
      to.int32(uid).int32(gid).int32(groups.length);
      for (int group : groups) {
        to.int32(group);
      }
    }
    to.patch(lengthAt, to.position() - lengthAt - Integer.BYTES);
  }

  /// Returns the authentication flavor, which is [#AUTH_NONE] or [#AUTH_SYS].
  public int flavor() {
    return flavor;
  }

  /// Returns the user ID, or -1 for AUTH_NONE.
  public int uid() {
    return uid;
  }

  /// Returns the group ID, or -1 for AUTH_NONE.
  public int gid() {
    return gid;
  }

  /// Returns a copy of the supplementary group IDs, at most 16.
  public int[] groups() {
    return groups.clone();
  }

  /// Returns the machine name that the client claims to have. It must not be used for access
  /// control.
  String machine() {
    return machine;
  }

  @Override
  public String toString() {
    return flavor == AUTH_NONE
        ? "AUTH_NONE"
        : "uid " + uid + ", gid " + gid + ", groups " + Arrays.toString(groups);
  }
}
