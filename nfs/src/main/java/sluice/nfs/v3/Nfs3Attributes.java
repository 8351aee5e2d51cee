package sluice.nfs.v3;

import org.jspecify.annotations.Nullable;
import sluice.fs.AttributeChange;
import sluice.fs.FileAttributes;
import sluice.nfs.export.FileTypes;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.XdrException;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;

/// Encodes and decodes file attributes (RFC 1813, section 2.6). This class is stateless.
final class Nfs3Attributes {
  /// The length of a `fattr3`.
  static final int BYTES = 84;

  /// The length of a `post_op_attr` with attributes.
  static final int POST_OP_BYTES = 4 + BYTES;

  private static final int NANOS = 1_000_000_000;
  private static final int SERVER_TIME = 1;
  private static final int CLIENT_TIME = 2;

  private Nfs3Attributes() {}

  /// Writes a `fattr3`.
  static void write(XdrWriter out, FileAttributes a, long fsid) {
    out.int32s(FileTypes.type(a), a.permissions()).int32s(a.links(), a.uid()).int32(a.gid());
    out.int64(a.sizeBytes()).int64(a.allocatedBytes());
    out.int32s(a.deviceMajor(), a.deviceMinor()).int64(fsid).int64(a.inode());
    time(out, a.accessNanos());
    time(out, a.modifyNanos());
    time(out, a.changeNanos());
  }

  /// Writes an `nfstime3`. Its seconds are unsigned, so times before 1970 are encoded as times
  /// after 2038.
  static void time(XdrWriter out, long nanos) {
    long seconds = Math.floorDiv(nanos, (long) NANOS);
    out.int32s((int) seconds, (int) (nanos - seconds * NANOS));
  }

  /// Writes a `post_op_attr`.
  static void postOp(XdrWriter out, @Nullable FileAttributes a, long fsid) {
    out.bool(a != null);
    if (a != null) {
      write(out, a, fsid);
    }
  }

  /// Writes a `wcc_data`.
  static void wcc(
      XdrWriter out, @Nullable FileAttributes before, @Nullable FileAttributes after, long fsid) {
    out.bool(before != null);
    if (before != null) {
      out.int64(before.sizeBytes());
      time(out, before.modifyNanos());
      time(out, before.changeNanos());
    }
    postOp(out, after, fsid);
  }

  /// Reads an `nfstime3`.
  ///
  /// @throws NfsException `INVAL` if the nanoseconds are not less than one second
  static long time(XdrReader in) throws NfsException {
    long seconds = in.uint32();
    int nanos = in.int32();
    if (nanos < 0 || nanos >= NANOS) {
      throw new NfsException(NfsStatus.INVAL);
    }
    return seconds * NANOS + nanos;
  }

  /// Reads a `sattr3`.
  ///
  /// @throws NfsException `INVAL` or `FBIG` if a value is out of range; the remaining arguments are
  ///   not read in this case
  static AttributeChange change(XdrReader in) throws NfsException {
    AttributeChange change = AttributeChange.NONE;
    change = in.bool() ? change.withMode(in.int32()) : change;
    change = in.bool() ? change.withOwner(in.int32()) : change;
    change = in.bool() ? change.withGroup(in.int32()) : change;
    if (in.bool()) {
      long bytes = in.int64();
      if (bytes < 0) {
        throw new NfsException(NfsStatus.FBIG);
      }
      change = change.withSize(bytes);
    }
    int access = how(in);
    if (access != 0) {
      change = change.withAccess(access == SERVER_TIME ? AttributeChange.NOW : time(in));
    }
    int modify = how(in);
    if (modify != 0) {
      change = change.withModify(modify == SERVER_TIME ? AttributeChange.NOW : time(in));
    }
    return change;
  }

  private static int how(XdrReader in) {
    int how = in.int32();
    if (how < 0 || how > CLIENT_TIME) {
      throw new XdrException("no time_how");
    }
    return how;
  }
}
