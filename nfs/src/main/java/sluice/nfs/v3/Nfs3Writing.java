package sluice.nfs.v3;

import java.io.IOException;
import sluice.fs.AttributeChange;
import sluice.fs.FileAttributes;
import sluice.fs.FileTree;
import sluice.memory.Memory;
import sluice.nfs.export.FileRef;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.export.StableHow;

/// The procedures that change one file: SETATTR, WRITE and COMMIT. Instances are immutable and are
/// used by workers.
final class Nfs3Writing {
  private final long verifier;

  /// Creates the procedures.
  ///
  /// @param verifier the write verifier, which changes whenever the server is restarted, so that
  ///   clients repeat their uncommitted writes
  Nfs3Writing(long verifier) {
    this.verifier = verifier;
  }

  static void setattr(Nfs3Call call) throws IOException, NfsException {
    FileRef file = call.handle();
    AttributeChange change = Nfs3Attributes.change(call.in);
    boolean guarded = call.in.bool();
    long guard = guarded ? Nfs3Attributes.time(call.in) : 0;
    Nfs3Change.run(
        call,
        file,
        frame -> {
          FileAttributes now = Nfs3Call.attributes(file);
          if (guarded && !isTime(now.changeNanos(), guard)) {
            throw new NfsException(NfsStatus.NOT_SYNC);
          }
          boolean resizes = change.has(AttributeChange.SIZE);
          if (resizes) {
            Nfs3Reading.requireContent(now);
          }
          if (resizes && change.sizeBytes() < now.sizeBytes()) {
            set(call, file, now, change); // may take several groups
            frame.recordAlone();
          } else {
            frame.grouped(() -> set(call, file, now, change));
          }
        });
  }

  /// Returns true if both times are represented by the same `nfstime3`.
  private static boolean isTime(long nanos, long wire) {
    long seconds = Math.floorDiv(nanos, 1_000_000_000L) & 0xFFFF_FFFFL;
    return seconds * 1_000_000_000L + Math.floorMod(nanos, 1_000_000_000L) == wire;
  }

  private static void set(Nfs3Call call, FileRef file, FileAttributes now, AttributeChange change)
      throws IOException, NfsException {
    FileTree tree = Nfs3Call.tree(file);
    boolean resize = change.has(AttributeChange.SIZE) && call.owns(file, now);
    AttributeChange asked = resize ? change.withSizeOfOpened(change.sizeBytes()) : change;
    if (asked.set() != 0) {
      tree.setAttributes(call.caller(file), file.inode, asked);
    }
    call.status(NfsStatus.OK);
    call.wcc(file);
  }

  void write(Nfs3Call call) throws IOException, NfsException {
    FileRef file = call.handle();
    long position = call.in.int64();
    long count = call.in.uint32();
    StableHow stable = StableHow.of(call.in.int32());
    Memory content = call.in.content(Nfs3System.MAX_TRANSFER_BYTES);
    int bytes = (int) content.lengthBytes();
    if (count != bytes) {
      throw new NfsException(NfsStatus.INVAL);
    }
    if (position < 0) {
      throw new NfsException(NfsStatus.FBIG);
    }
    Nfs3Change.write(
        call,
        file,
        stable,
        () -> {
          FileAttributes now = Nfs3Call.attributes(file);
          Nfs3Reading.requireContent(now);
          if (!call.owns(file, now)) {
            call.requireAny(file, FileTree.WRITE);
          }
          FileTree tree = Nfs3Call.tree(file);
          int written =
              bytes == 0
                  ? 0
                  : tree.write(call.caller(file), file.inode, position, content, 0, bytes);
          call.status(NfsStatus.OK);
          call.wcc(file);
          call.out.int32(written).int32(stable.number()).int64(verifier);
        });
  }

  void commit(Nfs3Call call) throws IOException, NfsException {
    FileRef file = call.handle();
    long position = call.in.int64();
    call.in.int32();
    Nfs3Reading.requireContent(Nfs3Call.attributes(file));
    if (position < 0) {
      throw new NfsException(NfsStatus.INVAL);
    }
    if (!file.export.readOnly()) {
      call.written(file, false);
    }
    // COMMIT does not change any attributes, so the attributes before and after the call are the
    // same.
    FileAttributes now = Nfs3Call.attributes(file);
    call.status(NfsStatus.OK);
    Nfs3Attributes.wcc(call.out, now, now, file.export.exported().treeId());
    call.out.int64(verifier);
  }
}
