package sluice.nfs.v3;

import java.io.IOException;
import sluice.fs.TreeStatus;
import sluice.nfs.export.FileRef;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.XdrWriter;

/// The procedures that describe a file system: FSSTAT, FSINFO and PATHCONF. This class is
/// stateless. Its methods are called by workers, and by the loop's thread if the result is
/// constant.
final class Nfs3System {
  /// The maximum number of bytes of one READ, WRITE or directory listing.
  static final int MAX_TRANSFER_BYTES = 1 << 20;

  private static final int MULTIPLE_BYTES = 4096;
  private static final int LISTING_BYTES = 256 << 10;

  /// The maximum transfer size over UDP. Like other servers, this server uses a low limit because
  /// datagrams with more fragments are rarely reassembled.
  private static final int DATAGRAM_TRANSFER_BYTES = 32 << 10;

  /// The resolution of file times in nanoseconds.
  private static final int TIME_NANOS = 1;

  /// The properties of the file system. Hard links and symbolic links are supported, PATHCONF is
  /// the same for all files, and times can be set.
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
    call.out.int32(0); // invarsec: the values may change at any time
  }

  static void fsinfo(Nfs3Call call) throws IOException, NfsException {
    FileRef file = call.handle();
    var now = Nfs3Call.attributes(file);
    call.status(NfsStatus.OK);
    call.postOp(file, now);
    writeInfo(call.out, file.export.exported().status(), call.rpc.datagram());
  }

  /// Writes the result of FSINFO that follows the attributes.
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

  /// Writes the result of PATHCONF that follows the attributes. Names that are too long are
  /// refused, only root may change owners, and names are case-sensitive and case-preserving.
  static void writePathconf(XdrWriter out, TreeStatus status) {
    out.int32(status.maxLinks()).int32(status.nameBytes());
    out.bool(true).bool(true).bool(false).bool(true);
  }
}
