package sluice.nfs.v3;

import java.io.IOException;
import sluice.fs.TreeStatus;
import sluice.nfs.export.FileRef;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.XdrWriter;

/// The procedures that tell of a file system: FSSTAT, FSINFO, PATHCONF. Stateless; called by
/// workers, and by the loop's thread for what does not change.
final class Nfs3System {
  /// Most bytes of one READ, WRITE or listing.
  static final int MAX_TRANSFER_BYTES = 1 << 20;

  private static final int MULTIPLE_BYTES = 4096;
  private static final int LISTING_BYTES = 256 << 10;

  /// As much over UDP as other servers give: more fragments are rarely put together.
  private static final int DATAGRAM_TRANSFER_BYTES = 32 << 10;

  /// Times are kept in nanoseconds.
  private static final int TIME_NANOS = 1;

  /// Hard links, symbolic links, PATHCONF is the same everywhere, times can be set.
  private static final int PROPERTIES = 0x1 | 0x2 | 0x8 | 0x10;

  private Nfs3System() {}

  static void fsstat(Nfs3Call call) throws IOException, NfsException {
    FileRef file = call.handle();
    var now = Nfs3Call.attributes(file);
    TreeStatus status = Nfs3Call.tree(file).status();
    long block = status.blockBytes();
    call.status(NfsStatus.OK);
    call.postOp(file, now);
    call.out.int64(status.blocks() * block).int64(status.freeBlocks() * block);
    call.out.int64(status.availableBlocks() * block).int64(status.inodes());
    call.out.int64(status.freeInodes()).int64(status.freeInodes());
    call.out.int32(0); // it may be another at once
  }

  static void fsinfo(Nfs3Call call) throws IOException, NfsException {
    FileRef file = call.handle();
    var now = Nfs3Call.attributes(file);
    call.status(NfsStatus.OK);
    call.postOp(file, now);
    writeInfo(call.out, file.export.exported().status(), call.rpc.datagram());
  }

  /// What FSINFO says behind the attributes.
  static void writeInfo(XdrWriter out, TreeStatus status, boolean datagram) {
    int transfer = datagram ? DATAGRAM_TRANSFER_BYTES : MAX_TRANSFER_BYTES;
    out.int32(transfer).int32(transfer).int32(MULTIPLE_BYTES);
    out.int32(transfer).int32(transfer).int32(MULTIPLE_BYTES);
    out.int32(Math.min(transfer, LISTING_BYTES)).int64(status.maxFileBytes());
    out.int32(0).int32(TIME_NANOS).int32(PROPERTIES);
  }

  static void pathconf(Nfs3Call call) throws IOException, NfsException {
    FileRef file = call.handle();
    var now = Nfs3Call.attributes(file);
    call.status(NfsStatus.OK);
    call.postOp(file, now);
    writePathconf(call.out, file.export.exported().status());
  }

  /// What PATHCONF says behind the attributes: too long a name is an error, only root gives files
  /// away, upper and lower case are different and kept.
  static void writePathconf(XdrWriter out, TreeStatus status) {
    out.int32(status.maxLinks()).int32(status.nameBytes());
    out.bool(true).bool(true).bool(false).bool(true);
  }
}
