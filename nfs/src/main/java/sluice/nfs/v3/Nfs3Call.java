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

/// An NFSv3 call in progress. It consists of the arguments, the reply that has been written so far,
/// and the files whose attributes must be included in a refusal. Instances are confined to the
/// worker that processes the call.
final class Nfs3Call {
  /// The maximum length of a handle (`NFS3_FHSIZE`).
  static final int MAX_HANDLE_BYTES = 64;

  private static final int MAX_NAME_BYTES = 255;

  /// The maximum length of a string. A longer string is an XDR error. A shorter string that exceeds
  /// the limit for names is refused with `NAMETOOLONG`.
  private static final int MAX_STRING_BYTES = 8192;

  final RpcCall rpc;
  final XdrReader in;
  final XdrWriter out;
  final Nfs3Procedure procedure;

  /// The key by which a retransmission is recognized, or null for idempotent procedures.
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

  /// Reads a file handle.
  ///
  /// @throws NfsException `BADHANDLE`, `STALE`, or `ACCES` if the client may not use the export
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

  /// Reads a file name and checks it (RFC 1813, section 4.6).
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

  /// Returns the current attributes of a file.
  ///
  /// @throws NfsException `STALE` if the file was removed or its inode number belongs to another
  ///   file
  static FileAttributes attributes(FileRef file) throws NfsException, IOException {
    FileAttributes now = tree(file).attributes(file.inode);
    if (now.generation() != file.generation) {
      throw new NfsException(NfsStatus.STALE);
    }
    return now;
  }

  /// Returns the current attributes of a file, or null if they cannot be read. Attributes are
  /// optional in replies.
  static @Nullable FileAttributes attributesIfAny(@Nullable FileRef file) {
    try {
      return file == null ? null : attributes(file);
    } catch (NfsException | IOException _) {
      return null;
    }
  }

  /// Checks the caller's permissions.
  ///
  /// @throws NfsException `ACCES` unless the caller has at least one of the rights
  void requireAny(FileRef file, int rights) throws NfsException, IOException {
    if (tree(file).access(caller(file), file.inode, rights) == 0) {
      throw new NfsException(NfsStatus.ACCES);
    }
  }

  /// Returns true if the caller owns a file. The owner may read and write the file regardless of
  /// its mode, because the mode may have been changed after the client opened the file and an NFSv3
  /// server does not track open files.
  boolean owns(FileRef file, FileAttributes attributes) {
    return attributes.uid() == caller(file).uid();
  }

  /// Records the attributes of a file before the call changes it, provided that no other system can
  /// change them in the meantime.
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

  /// Records that the reply reports a change, which must be stable before the reply is sent.
  void changed(FileTree tree, long stablePoint) throws IOException {
    boolean _ = change.add(rpc, tree, stablePoint);
  }

  /// Does the same as [#changed] for data that was written to a file.
  void written(FileRef file, boolean dataOnly) throws IOException {
    boolean _ = change.addContent(rpc, file, dataOnly);
  }

  /// Delays the reply until all changes are stable.
  ///
  /// @param then the listener that is invoked before the reply is sent
  /// @return false if there is no change to wait for
  boolean answerWhenStable(FileTree.StableListener then) {
    return change.answerWhenStable(rpc, then);
  }

  // ---- replies ----------------------------------------------------------------------------------

  /// Starts the reply with the given status, and discards the results that have been written so
  /// far.
  void status(int status) {
    out.truncate(start);
    out.int32(status);
    answered = status;
    answer = null;
  }

  /// Returns the status of the current reply.
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

  /// Completes the reply after the change has become stable or has failed.
  ///
  /// @param failure the reason why the change could not be made stable, or null
  void stable(@Nullable IOException failure) {
    if (failure != null) {
      refuse(failure);
    }
  }

  /// Writes the reply to a call that is refused for the given reason.
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

  /// Returns the current reply, which the caller must not change.
  byte[] answer() {
    byte[] known = answer;
    if (known == null || known.length != out.position() - start) {
      known = out.bytesFrom(start);
      answer = known;
    }
    return known;
  }
}
