package sluice.nfs.v3;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.nfs.export.Export;
import sluice.nfs.export.FileHandles;
import sluice.nfs.export.FileRef;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.export.PendingChange;
import sluice.nfs.rpc.DuplicateKey;
import sluice.nfs.rpc.RpcCall;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;

/// A call of NFSv3 that is being worked on: its arguments, its answer so far, and the files that a
/// refusal tells of. Of the worker that handles it.
final class Nfs3Call {
  /// Longest handle (`NFS3_FHSIZE`).
  static final int MAX_HANDLE_BYTES = 64;

  private static final int MAX_NAME_BYTES = 255;

  /// Longer names are no XDR; those up to here are `NAMETOOLONG`.
  private static final int MAX_STRING_BYTES = 8192;

  final RpcCall rpc;
  final XdrReader in;
  final XdrWriter out;
  final Nfs3Procedure procedure;

  /// What repeated calls have in common with this one; null where it may be repeated.
  final @Nullable DuplicateKey key;

  private final FileHandles handles;
  private final int start;
  private int answered = NfsStatus.OK;
  private @Nullable FileRef first;
  private @Nullable FileRef second;
  private @Nullable FileAttributes firstBefore;
  private @Nullable FileAttributes secondBefore;
  private final PendingChange change = new PendingChange();
  private byte @Nullable [] answer;

  Nfs3Call(
      RpcCall rpc,
      XdrReader in,
      XdrWriter out,
      Nfs3Procedure procedure,
      FileHandles handles,
      @Nullable DuplicateKey key) {
    this.rpc = rpc;
    this.in = in;
    this.out = out;
    this.procedure = procedure;
    this.handles = handles;
    this.key = key;
    start = out.position();
  }

  // ---- arguments --------------------------------------------------------------------------------

  /// Reads a handle.
  ///
  /// @throws NfsException `BADHANDLE`, `STALE`, `ACCES` for a client that may not use the export
  FileRef handle() throws NfsException, IOException {
    FileRef file = handles.read(in, MAX_HANDLE_BYTES);
    if (!file.export.allows(rpc.client())) {
      throw new NfsException(NfsStatus.ACCES);
    }
    file.recall();
    if (first == null) {
      first = file;
    } else {
      second = file;
    }
    return file;
  }

  byte[] string() {
    return in.opaque(MAX_STRING_BYTES);
  }

  /// Reads a name as RFC 1813, section 4.6, has it: refused where it could be no name.
  ///
  /// @throws NfsException `ACCES`, `NAMETOOLONG`
  byte[] name() throws NfsException {
    byte[] name = string();
    if (name.length == 0) {
      throw new NfsException(NfsStatus.ACCES);
    }
    for (byte b : name) {
      if (b == '/' || b == 0) {
        throw new NfsException(NfsStatus.ACCES);
      }
    }
    if (name.length > MAX_NAME_BYTES) {
      throw new NfsException(NfsStatus.NAMETOOLONG);
    }
    return name;
  }

  // ---- files ------------------------------------------------------------------------------------

  static FileTree tree(FileRef file) {
    return file.export.exported().tree();
  }

  Caller caller(FileRef file) {
    return file.export.caller(rpc.credentials());
  }

  /// What a file's attributes are now.
  ///
  /// @throws NfsException `STALE` when it was removed, or its number belongs to another file
  static FileAttributes attributes(FileRef file) throws NfsException, IOException {
    FileAttributes now = tree(file).attributes(file.inode);
    if (now.generation() != file.generation) {
      throw new NfsException(NfsStatus.STALE);
    }
    return now;
  }

  /// As [#attributes], or null where that fails: an answer can do without.
  static @Nullable FileAttributes attributesIfAny(@Nullable FileRef file) {
    try {
      return file == null ? null : attributes(file);
    } catch (NfsException | IOException _) {
      return null;
    }
  }

  /// @throws NfsException `ACCES` unless the caller has one of the rights
  void requireAny(FileRef file, int rights) throws NfsException, IOException {
    if (tree(file).access(caller(file), file.inode, rights) == 0) {
      throw new NfsException(NfsStatus.ACCES);
    }
  }

  /// Whether a caller owns a file: then its mode does not keep him from content, because an open
  /// file of his may have been made unwritable, and NFSv3 knows of no open files.
  boolean owns(FileRef file, FileAttributes attributes) {
    return attributes.uid() == caller(file).uid();
  }

  /// Notes what a file's attributes are before the call changes it.
  void before(FileRef file) throws NfsException, IOException {
    FileAttributes now = attributes(file);
    if (tree(file).changesOnlyHere()) {
      if (file == first) {
        firstBefore = now;
      } else {
        secondBefore = now;
      }
    }
  }

  // ---- stability --------------------------------------------------------------------------------

  /// Notes that the answer tells of a change, which must be stable before it is sent.
  void changed(FileTree tree, long stablePoint) throws IOException {
    boolean _ = change.add(rpc, tree, stablePoint);
  }

  /// As [#changed], of content that was written to a file.
  void written(FileRef file, boolean dataOnly) throws IOException {
    boolean _ = change.addContent(rpc, file, dataOnly);
  }

  /// Lets the answer wait for what was changed.
  ///
  /// @param then runs before it is sent
  /// @return false when there is nothing to wait for
  boolean answerWhenStable(FileTree.StableListener then) {
    return change.answerWhenStable(rpc, then);
  }

  // ---- the answer -------------------------------------------------------------------------------

  /// Begins, or begins anew.
  void status(int status) {
    out.truncate(start);
    out.int32(status);
    answered = status;
    answer = null;
  }

  /// The status of the answer so far.
  int status() {
    return answered;
  }

  void handle(Export export, FileAttributes a) {
    handles.write(out, export, a.inode(), a.generation());
  }

  void postOp(FileRef file, @Nullable FileAttributes a) {
    Nfs3Attributes.postOp(out, a, file.export.exported().treeId());
  }

  void postOp(@Nullable FileRef file) {
    if (file == null) {
      out.bool(false);
    } else {
      postOp(file, attributesIfAny(file));
    }
  }

  void wcc(@Nullable FileRef file) {
    if (file == null) {
      out.bool(false).bool(false);
      return;
    }
    FileAttributes before = file == first ? firstBefore : secondBefore;
    FileAttributes after = attributesIfAny(file);
    Nfs3Attributes.wcc(out, before, after, file.export.exported().treeId());
  }

  /// What was changed is stable, or never will be.
  ///
  /// @param failure why
  void stable(@Nullable IOException failure) {
    if (failure != null) {
      refuse(failure);
    }
  }

  /// Writes the answer of a call that is refused.
  void refuse(Exception why) {
    status(statusOf(why));
    switch (procedure.refusal()) {
      case NOTHING -> {}
      case ATTRIBUTES -> postOp(first);
      case WCC -> wcc(first);
      case TWO_WCC -> {
        wcc(first);
        wcc(second);
      }
      case ATTRIBUTES_AND_WCC -> {
        postOp(first);
        wcc(second);
      }
    }
  }

  private static int statusOf(Exception why) {
    if (why instanceof NfsException answer) {
      return answer.status();
    }
    return why instanceof FsException refused ? NfsStatus.of(refused) : NfsStatus.IO;
  }

  /// The answer as it is now; not to be changed.
  byte[] answer() {
    byte[] known = answer;
    if (known == null || known.length != out.position() - start) {
      known = out.bytesFrom(start);
      answer = known;
    }
    return known;
  }
}
