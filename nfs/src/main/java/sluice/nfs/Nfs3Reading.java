package sluice.nfs;

import java.io.IOException;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileTree;

/// The procedures that look at one file: GETATTR, LOOKUP, ACCESS, READLINK, READ. Stateless; called
/// by workers.
final class Nfs3Reading {
  /// Bits of ACCESS (RFC 1813, section 3.3.4).
  static final int ACCESS_READ = 1;

  static final int ACCESS_LOOKUP = 2;
  static final int ACCESS_MODIFY = 4;
  static final int ACCESS_EXTEND = 8;
  static final int ACCESS_DELETE = 16;
  static final int ACCESS_EXECUTE = 32;

  private static final int ACCESS_CHANGES = ACCESS_MODIFY | ACCESS_EXTEND | ACCESS_DELETE;

  private Nfs3Reading() {}

  static void getattr(Nfs3Call call) throws IOException, NfsException {
    FileRef file = call.handle();
    FileAttributes now = Nfs3Call.attributes(file);
    call.status(NfsStatus.OK);
    Nfs3Attributes.write(call.out, now, file.export.share().treeId());
  }

  static void lookup(Nfs3Call call) throws IOException, NfsException {
    FileRef directory = call.handle();
    byte[] name = call.name();
    FileTree tree = Nfs3Call.tree(directory);
    boolean top = directory.inode == directory.export.rootInode() && Nfs3Call.isDotDot(name);
    byte[] sought = top ? new byte[] {'.'} : name;
    if (directory.export.share().hides(directory.inode, name)) {
      throw new NfsException(NfsStatus.NOENT);
    }
    Nfs3Call.attributes(directory); // is it still there?
    FileAttributes found = tree.find(call.caller(directory), directory.inode, sought);
    FileAttributes at = Nfs3Call.attributes(directory); // all the time?
    call.status(NfsStatus.OK);
    call.handle(directory.export, found);
    call.postOp(directory, found);
    call.postOp(directory, at);
  }

  static void access(Nfs3Call call) throws IOException, NfsException {
    FileRef file = call.handle();
    int asked = call.in.int32();
    FileAttributes now = Nfs3Call.attributes(file);
    int rights = rights(asked, now.isDirectory());
    int granted = Nfs3Call.tree(file).access(call.caller(file), file.inode, rights);
    call.status(NfsStatus.OK);
    call.postOp(file, now);
    call.out.int32(granted(asked, granted, now.isDirectory(), file.export.readOnly()));
  }

  /// The rights of a tree that tell what ACCESS asks.
  static int rights(int asked, boolean directory) {
    int rights = (asked & ACCESS_READ) != 0 ? FileTree.READ : 0;
    rights |= (asked & ACCESS_CHANGES) != 0 ? FileTree.WRITE : 0;
    int execute = directory ? ACCESS_LOOKUP | ACCESS_CHANGES : ACCESS_EXECUTE;
    return rights | ((asked & execute) != 0 ? FileTree.EXECUTE : 0);
  }

  /// What ACCESS answers. Names are changed by those who may write and search a directory.
  static int granted(int asked, int rights, boolean directory, boolean readOnly) {
    boolean execute = (rights & FileTree.EXECUTE) != 0;
    boolean write = (rights & FileTree.WRITE) != 0 && !readOnly && (execute || !directory);
    int granted = (rights & FileTree.READ) != 0 ? ACCESS_READ : 0;
    granted |= execute ? (directory ? ACCESS_LOOKUP : ACCESS_EXECUTE) : 0;
    granted |= write ? ACCESS_MODIFY | ACCESS_EXTEND : 0;
    granted |= write && directory ? ACCESS_DELETE : 0;
    return granted & asked;
  }

  static void readlink(Nfs3Call call) throws IOException, NfsException {
    FileRef file = call.handle();
    FileAttributes now = Nfs3Call.attributes(file);
    if (now.kind() != FileKind.SYMLINK) {
      throw new NfsException(NfsStatus.INVAL);
    }
    byte[] target = Nfs3Call.tree(file).readLink(file.inode);
    Nfs3Call.attributes(file); // otherwise it may be another's
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
      call.requireAny(file, FileTree.READ | FileTree.EXECUTE); // whoever runs a file reads it
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
    Nfs3Call.attributes(file); // otherwise it may be another's content
    finishRead(call.out, head, bytes, bytes < most || position + bytes >= now.sizeBytes());
  }

  /// Bytes of data that a reply has room for.
  static int most(XdrWriter out, long count) {
    return (int) Math.min(Math.min(count, Nfs3System.MAX_TRANSFER_BYTES), out.remaining() - 16);
  }

  /// Says in front of the data how much it is.
  static void finishRead(XdrWriter out, int head, int bytes, boolean end) {
    out.pad();
    out.patch(head, bytes);
    out.patch(head + 4, end ? 1 : 0);
    out.patch(head + 8, bytes);
  }

  /// @throws NfsException `INVAL` for what is no regular file
  static void requireContent(FileAttributes now) throws NfsException {
    if (now.kind() != FileKind.REGULAR) {
      throw new NfsException(NfsStatus.INVAL);
    }
  }
}
