package sluice.nfs.v3;

import org.jspecify.annotations.Nullable;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileNames;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.nfs.export.AccessRights;
import sluice.nfs.export.ExportedTree;
import sluice.nfs.export.FileHandles;
import sluice.nfs.export.FileRef;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.GroupCommitQueue;
import sluice.nfs.rpc.RpcCall;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;

/// The fast path of NFSv3, on which the loop's thread answers GETATTR, LOOKUP, ACCESS, READ, FSINFO
/// and PATHCONF from cached data. Instances are immutable and are used by the threads of the loops.
///
/// Each method returns false in order to pass the call to a worker. This happens if the data are
/// not cached, and for nearly all refusals.
final class Nfs3FastPath {
  private static final int MAX_NAME_BYTES = 255;

  private final FileHandles handles;

  Nfs3FastPath(FileHandles handles) {
    this.handles = handles;
  }

  boolean run(Nfs3Procedure procedure, RpcCall call, XdrReader in, XdrWriter out) {
    return switch (procedure) {
      case GETATTR -> getattr(call, in, out);
      case LOOKUP -> lookup(call, in, out);
      case ACCESS -> access(call, in, out);
      case READ -> read(call, in, out);
      case FSINFO, PATHCONF -> constant(procedure, call, in, out);
      default -> false;
    };
  }

  /// Returns true if a call is small enough for the [GroupCommitQueue].
  ///
  /// @param in the reader, positioned at the arguments
  boolean fitsGroupCommit(Nfs3Procedure procedure, RpcCall call, XdrReader in) {
    if (procedure != Nfs3Procedure.WRITE && procedure != Nfs3Procedure.COMMIT) {
      return procedure.once();
    }
    FileRef file = file(call, in);
    if (file == null || !file.export.exported().tree().ordersContent()) {
      return false;
    }
    in.int64();
    return procedure == Nfs3Procedure.COMMIT || in.uint32() <= GroupCommitQueue.MOST_CONTENT_BYTES;
  }

  private @Nullable FileRef file(RpcCall call, XdrReader in) {
    try {
      FileRef file = handles.read(in, Nfs3Call.MAX_HANDLE_BYTES);
      return file.export.allows(call.client()) ? file : null;
    } catch (NfsException _) {
      return null;
    }
  }

  private static @Nullable FileAttributes attributes(FileRef file) {
    FileAttributes now = file.export.exported().tree().tryAttributes(file.inode);
    return now != null && now.generation() == file.generation ? now : null;
  }

  private boolean getattr(RpcCall call, XdrReader in, XdrWriter out) {
    FileRef file = file(call, in);
    FileAttributes now = file == null ? null : attributes(file);
    if (file == null || now == null) {
      return false;
    }
    out.int32(NfsStatus.OK);
    Nfs3Attributes.write(out, now, file.export.exported().treeId());
    return true;
  }

  private boolean lookup(RpcCall call, XdrReader in, XdrWriter out) {
    FileRef directory = file(call, in);
    FileAttributes at = directory == null ? null : attributes(directory);
    if (directory == null || at == null || !at.isDirectory()) {
      return false;
    }
    byte[] name = in.opaque(in.remaining());
    if (!isPlain(name) || directory.export.exported().hides(directory.inode, name)) {
      return false;
    }
    ExportedTree exported = directory.export.exported();
    FileAttributes found;
    try {
      found = exported.tryFind(directory.export.caller(call.credentials()), directory, name);
    } catch (FsException _) {
      return false;
    }
    if (found == null) {
      return false;
    }
    long fsid = exported.treeId();
    if (found == ExportedTree.ABSENT) {
      out.int32(NfsStatus.NOENT);
      Nfs3Attributes.postOp(out, at, fsid);
      return true;
    }
    out.int32(NfsStatus.OK);
    handles.write(out, directory.export, found.inode(), found.generation());
    Nfs3Attributes.postOp(out, found, fsid);
    Nfs3Attributes.postOp(out, at, fsid);
    return true;
  }

  /// Returns true if a name does not require special treatment.
  private static boolean isPlain(byte[] name) {
    if (name.length == 0 || name.length > MAX_NAME_BYTES || FileNames.isDotDot(name)) {
      return false;
    }
    for (byte b : name) {
      if (b == '/' || b == 0) {
        return false;
      }
    }
    return true;
  }

  private boolean access(RpcCall call, XdrReader in, XdrWriter out) {
    FileRef file = file(call, in);
    FileAttributes now = file == null ? null : attributes(file);
    if (file == null || now == null) {
      return false;
    }
    int asked = in.int32();
    boolean directory = now.isDirectory();
    Caller caller = file.export.caller(call.credentials());
    int rights = AccessRights.rights(asked, directory);
    long granted = file.export.exported().tree().tryAccess(caller, file.inode, rights);
    if (granted == FileTree.WOULD_BLOCK) {
      return false;
    }
    out.int32(NfsStatus.OK);
    Nfs3Attributes.postOp(out, now, file.export.exported().treeId());
    out.int32(AccessRights.granted(asked, (int) granted, directory, file.export.readOnly()));
    return true;
  }

  private boolean read(RpcCall call, XdrReader in, XdrWriter out) {
    FileRef file = file(call, in);
    FileAttributes now = file == null ? null : attributes(file);
    if (file == null || now == null || now.kind() != FileKind.REGULAR) {
      return false;
    }
    long position = in.int64();
    long count = in.uint32();
    FileTree tree = file.export.exported().tree();
    Caller caller = file.export.caller(call.credentials());
    boolean allowed =
        caller.uid() == now.uid()
            || tree.tryAccess(caller, file.inode, FileTree.READ | FileTree.EXECUTE) > 0;
    if (!allowed || position < 0) {
      return false;
    }
    out.int32(NfsStatus.OK);
    Nfs3Attributes.postOp(out, now, file.export.exported().treeId());
    int head = out.position();
    out.int32(0).bool(false).int32(0);
    int most = Nfs3Reading.most(out, count);
    long bytes = tree.tryRead(file.inode, position, most, out);
    if (bytes == FileTree.WOULD_BLOCK
        || attributes(file) == null) { // the inode number may have been reused
      return false;
    }
    boolean end = bytes < most || position + bytes >= now.sizeBytes();
    Nfs3Reading.finishRead(out, head, (int) bytes, end);
    return true;
  }

  private boolean constant(Nfs3Procedure procedure, RpcCall call, XdrReader in, XdrWriter out) {
    FileRef file = file(call, in);
    FileAttributes now = file == null ? null : attributes(file);
    if (file == null || now == null) {
      return false;
    }
    ExportedTree exported = file.export.exported();
    out.int32(NfsStatus.OK);
    Nfs3Attributes.postOp(out, now, exported.treeId());
    if (procedure == Nfs3Procedure.FSINFO) {
      Nfs3System.writeInfo(out, exported.status(), call.datagram());
    } else {
      Nfs3System.writePathconf(out, exported.status());
    }
    return true;
  }
}
