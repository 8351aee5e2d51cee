package sluice.nfs.v4.wire;

import sluice.fs.AttributeChange;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.XdrException;
import sluice.nfs.rpc.XdrReader;

/// The attributes that a client sets (`fattr4` of SETATTR, OPEN and CREATE). Instances are
/// immutable and thread-safe.
///
/// @param asked the numbers of the attributes
/// @param change the corresponding change of the attributes in the tree
public record Nfs4RequestedAttributes(Bitmap asked, AttributeChange change) {
  private static final int MAX_BYTES = 4096;
  private static final int MAX_OWNER_BYTES = 1024;
  private static final int SET_TO_CLIENT_TIME = 1;
  private static final long NANOS = 1_000_000_000L;

  public static final Nfs4RequestedAttributes NONE =
      new Nfs4RequestedAttributes(Bitmap.NONE, AttributeChange.NONE);

  /// Reads the attributes.
  ///
  /// @throws NfsException `ATTRNOTSUPP` if an attribute is not supported, `INVAL` if an attribute
  ///   cannot be set, `BADOWNER` if a user or group is not valid
  public static Nfs4RequestedAttributes read(XdrReader in) throws NfsException {
    Bitmap asked = Bitmap.read(in);
    int bytes = in.length(MAX_BYTES);
    int end = in.position() + bytes;
    if (!asked.without(Nfs4Attribute.SUPPORTED).isEmpty()) {
      in.skip(bytes);
      throw new NfsException(Nfs4Status.ATTRNOTSUPP);
    }
    if (!asked.without(Nfs4Attribute.WRITABLE).isEmpty()) {
      in.skip(bytes);
      throw new NfsException(NfsStatus.INVAL);
    }
    AttributeChange change = AttributeChange.NONE;
    for (long left = asked.low(); left != 0; left &= left - 1) {
      change = one(in, Long.numberOfTrailingZeros(left), change);
    }
    if (in.position() != end) {
      throw new XdrException("attributes are as long as they say");
    }
    return new Nfs4RequestedAttributes(asked, change);
  }

  private static AttributeChange one(XdrReader in, int number, AttributeChange change)
      throws NfsException {
    return switch (number) {
      case Nfs4Attribute.SIZE -> {
        long size = in.int64();
        yield change.withSize(require(size >= 0, size, NfsStatus.FBIG));
      }
      case Nfs4Attribute.MODE -> {
        int mode = in.int32();
        yield change.withMode((int) require((mode & ~0xFFF) == 0, mode, NfsStatus.INVAL));
      }
      case Nfs4Attribute.OWNER -> change.withOwner(IdNames.read(in.opaque(MAX_OWNER_BYTES)));
      case Nfs4Attribute.OWNER_GROUP -> change.withGroup(IdNames.read(in.opaque(MAX_OWNER_BYTES)));
      case Nfs4Attribute.TIME_ACCESS_SET -> change.withAccess(time(in));
      default -> change.withModify(time(in));
    };
  }

  private static long require(boolean good, long value, int otherwise) throws NfsException {
    if (!good) {
      throw new NfsException(otherwise);
    }
    return value;
  }

  private static long time(XdrReader in) throws NfsException {
    int how = in.int32();
    if (how != SET_TO_CLIENT_TIME) {
      if (how != 0) {
        throw new XdrException("a time is the server's or the client's");
      }
      return AttributeChange.NOW;
    }
    long seconds = in.int64();
    long nanos = in.uint32();
    if (nanos >= NANOS) {
      throw new NfsException(NfsStatus.INVAL);
    }
    long most = Long.MAX_VALUE / NANOS - 1;
    return Math.clamp(seconds, -most, most) * NANOS + nanos;
  }

  public boolean has(int number) {
    return asked.has(number);
  }

  /// Returns the permission bits of a new file.
  ///
  /// @param otherwise the permission bits to return if the client did not request a mode
  public int permissions(int otherwise) {
    return has(Nfs4Attribute.MODE) ? change.mode() : otherwise;
  }

  /// Returns the attributes that still have to be set after the file was created with its mode.
  AttributeChange afterCreation() {
    int left = change.set() & ~AttributeChange.MODE;
    if (change.has(AttributeChange.SIZE) && change.sizeBytes() == 0) {
      left &= ~AttributeChange.SIZE;
    }
    boolean opened = (left & AttributeChange.SIZE) != 0;
    return new AttributeChange(
        left | (opened ? AttributeChange.OPENED : 0),
        change.mode(),
        change.uid(),
        change.gid(),
        change.sizeBytes(),
        change.accessNanos(),
        change.modifyNanos());
  }
}
