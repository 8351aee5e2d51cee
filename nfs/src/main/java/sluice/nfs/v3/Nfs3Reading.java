package sluice.nfs.v3;

import java.io.IOException;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileNames;
import sluice.fs.FileTree;
import sluice.nfs.export.AccessRights;
import sluice.nfs.export.FileRef;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.XdrWriter;

/// The procedures that read one file: GETATTR, LOOKUP, ACCESS, READLINK and READ. This class is
/// stateless, and its methods are called by workers.
final class Nfs3Reading {
  private Nfs3Reading() {}

  static void getattr(Nfs3Call call) throws IOException, NfsException {
    FileRef file = call.handle();
    FileAttributes now = Nfs3Call.attributes(file);
    call.status(NfsStatus.OK);
    Nfs3Attributes.write(call.out, now, file.export.exported().treeId());
  }

  static void lookup(Nfs3Call call) throws IOException, NfsException {
    FileRef directory = call.handle();
    byte[] name = call.name();
    FileTree tree = Nfs3Call.tree(directory);
    boolean top = directory.inode == directory.export.rootInode() && FileNames.isDotDot(name);
    byte[] sought = top ? new byte[] {'.'} : name;
    if (directory.export.exported().hides(directory.inode, name)) {
      throw new NfsException(NfsStatus.NOENT);
    }
    Nfs3Call.attributes(directory); // throws STALE if it was removed
    FileAttributes found = tree.find(call.caller(directory), directory.inode, sought);
    // This throws STALE if the inode number was reused during the lookup.
    FileAttributes at = Nfs3Call.attributes(directory);
    call.status(NfsStatus.OK);
    call.handle(directory.export, found);
    call.postOp(directory, found);
    call.postOp(directory, at);
  }

  static void access(Nfs3Call call) throws IOException, NfsException {
    FileRef file = call.handle();
    int asked = call.in.int32();
    FileAttributes now = Nfs3Call.attributes(file);
    int rights = AccessRights.rights(asked, now.isDirectory());
    int granted = Nfs3Call.tree(file).access(call.caller(file), file.inode, rights);
    call.status(NfsStatus.OK);
    call.postOp(file, now);
    call.out.int32(AccessRights.granted(asked, granted, now.isDirectory(), file.export.readOnly()));
  }

  static void readlink(Nfs3Call call) throws IOException, NfsException {
    FileRef file = call.handle();
    FileAttributes now = Nfs3Call.attributes(file);
    if (now.kind() != FileKind.SYMLINK) {
      throw new NfsException(NfsStatus.INVAL);
    }
    byte[] target = Nfs3Call.tree(file).readLink(file.inode);
    // This throws STALE if the inode was reused, because the target may belong to another link.
    Nfs3Call.attributes(file);
    call.status(NfsStatus.OK);
    call.postOp(file, now);
    call.out.opaque(target);
  }

  static void read(Nfs3Call call) throws IOException, NfsException {
    FileRef file = call.handle();
    long position = call.in.int64();
    long count = call.in.uint32();
    FileAttributes now = Nfs3Call.attributes(file);
    requireContent(now);
    if (!call.owns(file, now)) {
      // The right to execute a file includes reading it.
      call.requireAny(file, FileTree.READ | FileTree.EXECUTE);
    }
    if (position < 0) {
      throw new NfsException(NfsStatus.INVAL);
    }
    call.status(NfsStatus.OK);
    call.postOp(file, now);
    int head = call.out.position();
    int most = most(call.out, count);
    call.out.int32(0).bool(false).int32(0);
    int bytes = Nfs3Call.tree(file).slices(file.inode, position, most, call.out);
    // This throws STALE if the inode was reused, because the data may belong to another file.
    Nfs3Call.attributes(file);
    finishRead(call.out, head, bytes, bytes < most || position + bytes >= now.sizeBytes());
  }

  /// Returns the maximum number of data bytes that fit into the reply.
  static int most(XdrWriter out, long count) {
    return (int) Math.min(Math.min(count, Nfs3System.MAX_TRANSFER_BYTES), out.remaining() - 16);
  }

  /// Sets the count, `eof` and length fields that precede the data.
  static void finishRead(XdrWriter out, int head, int bytes, boolean end) {
    out.pad();
    out.patch(head, bytes);
    out.patch(head + 4, end ? 1 : 0);
    out.patch(head + 8, bytes);
  }

  /// Checks that a file is a regular file.
  ///
  /// @throws NfsException `INVAL` if the file is not a regular file
  static void requireContent(FileAttributes now) throws NfsException {
    if (now.kind() != FileKind.REGULAR) {
      throw new NfsException(NfsStatus.INVAL);
    }
  }
}
