package sluice.nfs.v4;

import java.io.IOException;
import sluice.fs.FileAttributes;
import sluice.fs.TreeStatus;
import sluice.nfs.export.FileRef;
import sluice.nfs.export.FileTypes;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.XdrWriter;
import sluice.nfs.v4.wire.Bitmap;
import sluice.nfs.v4.wire.IdNames;
import sluice.nfs.v4.wire.Nfs4Attribute;
import sluice.nfs.v4.wire.Nfs4Channel;

/// Writes file attributes as `fattr4` (RFC 8881, section 5). This class is thread-safe.
final class Nfs4Attributes {
  private static final long NANOS = 1_000_000_000L;

  private final PseudoRoot pseudo;
  private final int leaseSeconds;
  private final IdNames ids = new IdNames();

  Nfs4Attributes(PseudoRoot pseudo, int leaseSeconds) {
    this.pseudo = pseudo;
    this.leaseSeconds = leaseSeconds;
  }

  /// Writes the requested attributes, except for attributes that are not supported for this file or
  /// by this server.
  void write(XdrWriter out, Bitmap asked, FileRef file, FileAttributes a) throws IOException {
    Bitmap given = asked.and(Nfs4Attribute.READABLE);
    if (given.has(Nfs4Attribute.TIME_CREATE) && a.birthNanos() == 0) {
      given = given.without(Bitmap.of(Nfs4Attribute.TIME_CREATE));
    }
    given.write(out);
    int lengthAt = out.position();
    out.int32(0);
    for (long left = given.low(); left != 0; left &= left - 1) {
      int number = Long.numberOfTrailingZeros(left);
      if (number >= Nfs4Attribute.MODE) {
        ofFile(out, number, file, a);
      } else if (number <= Nfs4Attribute.FSID || number == Nfs4Attribute.FILEID) {
        ofIdentity(out, number, file, a);
      } else {
        ofServer(out, number, file);
      }
    }
    if (given.has(Nfs4Attribute.SUPPATTR_EXCLCREAT)) {
      Nfs4Attribute.EXCLUSIVE.write(out);
    }
    out.patch(lengthAt, out.position() - lengthAt - 4);
  }

  /// Writes a status instead of the attributes.
  static void writeError(XdrWriter out, int status) {
    Bitmap.of(Nfs4Attribute.RDATTR_ERROR).write(out);
    out.int32(4).int32(status);
  }

  private void ofIdentity(XdrWriter out, int number, FileRef file, FileAttributes a) {
    switch (number) {
      case Nfs4Attribute.SUPPORTED_ATTRS -> Nfs4Attribute.SUPPORTED.write(out);
      case Nfs4Attribute.TYPE -> out.int32(FileTypes.type(a));
      case Nfs4Attribute.FH_EXPIRE_TYPE -> out.int32(0); // persistent
      case Nfs4Attribute.CHANGE -> out.int64(a.version());
      case Nfs4Attribute.SIZE -> out.int64(a.sizeBytes());
      case Nfs4Attribute.FSID -> {
        boolean none = pseudo.contains(file);
        out.int64(none ? 0 : file.export.exported().treeId());
        out.int64(none ? 0 : file.export.number() & 0xFFFF_FFFFL);
      }
      case Nfs4Attribute.FILEID -> out.int64(a.inode());
      case Nfs4Attribute.NAMED_ATTR -> out.bool(false);
      default -> out.bool(true); // hard and symbolic links
    }
  }

  private void ofServer(XdrWriter out, int number, FileRef file) throws IOException {
    switch (number) {
      case Nfs4Attribute.LEASE_TIME -> out.int32(leaseSeconds);
      case Nfs4Attribute.RDATTR_ERROR -> out.int32(NfsStatus.OK);
      case Nfs4Attribute.ACLSUPPORT -> out.int32(0);
      case Nfs4Attribute.CASE_INSENSITIVE -> out.bool(false);
      case Nfs4Attribute.FILEHANDLE -> pseudo.writeHandle(out, file);
      case Nfs4Attribute.FILES_AVAIL, Nfs4Attribute.FILES_FREE ->
          out.int64(status(file).freeInodes());
      case Nfs4Attribute.FILES_TOTAL -> out.int64(status(file).inodes());
      case Nfs4Attribute.MAXFILESIZE -> out.int64(file.export.exported().status().maxFileBytes());
      case Nfs4Attribute.MAXLINK -> out.int32(file.export.exported().status().maxLinks());
      case Nfs4Attribute.MAXNAME -> out.int32(file.export.exported().status().nameBytes());
      case Nfs4Attribute.MAXREAD, Nfs4Attribute.MAXWRITE ->
          out.int64(Nfs4Channel.MAX_CONTENT_BYTES);
      default -> out.bool(true); // unique handles, times can be set, case is kept, …
    }
  }

  private void ofFile(XdrWriter out, int number, FileRef file, FileAttributes a)
      throws IOException {
    switch (number) {
      case Nfs4Attribute.MODE -> out.int32(a.permissions());
      case Nfs4Attribute.NO_TRUNC -> out.bool(true);
      case Nfs4Attribute.NUMLINKS -> out.int32(a.links());
      case Nfs4Attribute.OWNER -> ids.write(out, a.uid());
      case Nfs4Attribute.OWNER_GROUP -> ids.write(out, a.gid());
      case Nfs4Attribute.RAWDEV -> out.int32(a.deviceMajor()).int32(a.deviceMinor());
      case Nfs4Attribute.SPACE_AVAIL, Nfs4Attribute.SPACE_FREE, Nfs4Attribute.SPACE_TOTAL ->
          out.int64(space(number, status(file)));
      case Nfs4Attribute.SPACE_USED -> out.int64(a.allocatedBytes());
      case Nfs4Attribute.TIME_ACCESS -> time(out, a.accessNanos());
      case Nfs4Attribute.TIME_CREATE -> time(out, a.birthNanos());
      case Nfs4Attribute.TIME_DELTA -> out.int64(0).int32(1);
      case Nfs4Attribute.TIME_METADATA -> time(out, a.changeNanos());
      case Nfs4Attribute.TIME_MODIFY -> time(out, a.modifyNanos());
      case Nfs4Attribute.MOUNTED_ON_FILEID -> out.int64(pseudo.mountedOn(file));
      case Nfs4Attribute.FS_LAYOUT_TYPE -> out.int32(0); // none
      default -> throw new IllegalStateException("attribute " + number);
    }
  }

  private static TreeStatus status(FileRef file) throws IOException {
    return Nfs4Compound.tree(file).status();
  }

  private static long space(int number, TreeStatus status) {
    long blocks =
        switch (number) {
          case Nfs4Attribute.SPACE_AVAIL -> status.availableBlocks();
          case Nfs4Attribute.SPACE_FREE -> status.freeBlocks();
          default -> status.blocks();
        };
    return blocks * status.blockBytes();
  }

  private static void time(XdrWriter out, long nanos) {
    out.int64(Math.floorDiv(nanos, NANOS)).int32((int) Math.floorMod(nanos, NANOS));
  }
}
