package sluice.nfs.v4;

import org.jspecify.annotations.Nullable;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.XdrException;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;
import sluice.nfs.v4.wire.Nfs4Attribute;
import sluice.nfs.v4.wire.Nfs4RequestedAttributes;
import sluice.nfs.v4.wire.Opaque;

/// The arguments of OPEN (RFC 8881, section 18.16.1). Instances are immutable and thread-safe.
///
/// @param access the share access as bits of [Nfs4Open], which must not be 0
/// @param deny the share deny as bits of [Nfs4Open]
/// @param wants the delegation flags of `share_access`
/// @param owner the open owner, unique within the client
/// @param how the `createmode4`, or -1 if no file is created
/// @param requested the attributes of the new file
/// @param verifier the verifier of an exclusive creation
/// @param claim the `open_claim_type4`
/// @param name the name in the current directory, or null if the current file is opened
@SuppressWarnings("ArrayRecordComponent") // never compared
record Nfs4OpenArguments(
    int access,
    int deny,
    int wants,
    Opaque owner,
    int how,
    Nfs4RequestedAttributes requested,
    long verifier,
    int claim,
    byte @Nullable [] name) {
  /// The bits of `share_access` that concern delegations.
  static final int WANTS = 0x3_FF00;

  private static final int UNCHECKED = 0;
  private static final int GUARDED = 1;
  private static final int EXCLUSIVE = 2;
  private static final int EXCLUSIVE4_1 = 3;
  private static final int NOTHING = -1;

  private static final int CLAIM_NULL = 0;
  private static final int CLAIM_PREVIOUS = 1;
  private static final int CLAIM_FH = 4;

  private static final int WANT_NONE = 0x0400;
  private static final int WANT_CANCEL = 0x0500;
  private static final int WANT_MASK = 0xFF00;
  private static final int DELEGATE_NONE = 0;
  private static final int DELEGATE_NONE_EXT = 3;
  private static final int NOT_WANTED = 0;
  private static final int RESOURCE = 2;
  private static final int CANCELLED = 7;

  /// Reads the arguments.
  ///
  /// @throws NfsException `INVAL`, `NOTSUPP` for claims of delegations, and the errors of
  ///   [Nfs4RequestedAttributes#read] and [Nfs4Compound#name]
  static Nfs4OpenArguments read(Nfs4Compound c) throws NfsException {
    XdrReader in = c.in;
    in.int32(); // the seqid, unused since the session orders requests
    int access = in.int32();
    int deny = in.int32();
    in.int64(); // the client ID, unused since the session names the client
    Opaque owner = Opaque.read(in);
    int how = how(in);
    long verifier = how == EXCLUSIVE || how == EXCLUSIVE4_1 ? in.int64() : 0;
    Nfs4RequestedAttributes requested =
        how == NOTHING || how == EXCLUSIVE
            ? Nfs4RequestedAttributes.NONE
            : Nfs4RequestedAttributes.read(in);
    int claim = in.int32();
    byte[] name = name(c, claim);
    int shares = access & ~WANTS;
    boolean good = shares >= 1 && shares <= Nfs4Open.BOTH && (deny & ~Nfs4Open.BOTH) == 0;
    boolean exclusive = how == EXCLUSIVE4_1;
    if (exclusive && !requested.asked().without(Nfs4Attribute.EXCLUSIVE).isEmpty()) {
      throw new NfsException(NfsStatus.INVAL);
    }
    if (!good || (how != NOTHING && claim != CLAIM_NULL)) {
      throw new NfsException(NfsStatus.INVAL);
    }
    return new Nfs4OpenArguments(
        shares, deny, access & WANTS, owner, how, requested, verifier, claim, name);
  }

  private static int how(XdrReader in) {
    if (!in.bool()) {
      return NOTHING;
    }
    int how = in.int32();
    if (how < UNCHECKED || how > EXCLUSIVE4_1) {
      throw new XdrException("no createmode4");
    }
    return how;
  }

  private static byte @Nullable [] name(Nfs4Compound c, int claim) throws NfsException {
    if (claim < 0 || claim > 6) {
      throw new XdrException("no open_claim_type4");
    }
    if (claim == CLAIM_NULL) {
      return c.name();
    }
    if (claim == CLAIM_PREVIOUS) {
      c.in.int32(); // the delegation type; this server grants no delegations
    } else if (claim != CLAIM_FH) {
      throw new NfsException(NfsStatus.NOTSUPP);
    }
    return null;
  }

  /// Returns the name of the file to create.
  byte[] requireName() {
    byte[] known = name;
    if (known == null) {
      throw new IllegalStateException("nothing is created without a name");
    }
    return known;
  }

  boolean isReclaim() {
    return claim == CLAIM_PREVIOUS;
  }

  boolean creates() {
    return how != NOTHING;
  }

  boolean isGuarded() {
    return how == GUARDED;
  }

  boolean isExclusive() {
    return how == EXCLUSIVE || how == EXCLUSIVE4_1;
  }

  /// Returns true if an existing file is to be truncated to length 0.
  boolean truncates() {
    return how == UNCHECKED
        && requested.has(Nfs4Attribute.SIZE)
        && requested.change().sizeBytes() == 0;
  }

  /// Writes that no delegation was granted, including the reason if the client requested a
  /// delegation.
  void writeNoDelegation(XdrWriter out) {
    int want = wants & WANT_MASK;
    if (want == 0) {
      out.int32(DELEGATE_NONE);
      return;
    }
    out.int32(DELEGATE_NONE_EXT);
    switch (want) {
      case WANT_NONE -> out.int32(NOT_WANTED);
      case WANT_CANCEL -> out.int32(CANCELLED);
      default -> out.int32(RESOURCE).bool(false);
    }
  }
}
