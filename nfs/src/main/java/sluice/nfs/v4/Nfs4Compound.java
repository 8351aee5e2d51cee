package sluice.nfs.v4;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.nfs.export.FileRef;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.export.PendingChange;
import sluice.nfs.rpc.DuplicateKey;
import sluice.nfs.rpc.GroupCommitQueue;
import sluice.nfs.rpc.RpcCall;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;
import sluice.nfs.v4.wire.Nfs4Op;
import sluice.nfs.v4.wire.Nfs4Status;

/// A COMPOUND in progress. It consists of the arguments, the reply, and the state that is passed
/// from one operation to the next (RFC 8881, section 16.2). Instances are confined to the thread
/// that processes the COMPOUND.
final class Nfs4Compound {
  /// The result of an operation that would have to wait on the loop's thread. It is not an NFS
  /// status.
  static final int WOULD_BLOCK = -1;

  /// The offset of the length of the data in the arguments of WRITE, which follows the stateid, the
  /// offset and `stable_how4`.
  private static final int WRITTEN_BYTES_AT = 16 + 8 + 4;

  private static final int MAX_NAME_BYTES = 255;
  private static final int MAX_STRING_BYTES = 8192;

  RpcCall call;
  XdrReader in;
  XdrWriter out;

  /// True if the COMPOUND is processed on the loop's thread, which must not wait.
  final boolean now;

  /// The position of the arguments in the request.
  int argumentsAt;

  /// The number of operations in the COMPOUND, and the length of the request including the RPC
  /// header. Both are 0 until the header of the COMPOUND has been read.
  int operations;

  int requestBytes;

  /// The positions of the status and of the number of results in the reply.
  int statusAt;

  int countAt;

  /// The index of the current operation, its operation number, and the position of its status in
  /// the reply.
  int index;

  int op;
  int opStatusAt;

  @Nullable Nfs4Session session;
  @Nullable Nfs4Slot slot;
  int slotIndex;
  int slotSequence;
  boolean cacheThis;

  /// True if the first operations were executed before the server was restarted.
  boolean resumed;

  /// The reply to an earlier transmission of this request, or null if there is none.
  byte @Nullable [] replay;

  /// True if the request has already been answered and its reply was not cached.
  boolean uncachedRetry;

  @Nullable FileRef file;
  @Nullable FileRef saved;
  StateId stateId = StateId.ANONYMOUS;
  StateId savedStateId = StateId.ANONYMOUS;

  private final PendingChange change = new PendingChange();
  private int changeIndex;
  private int changeOp;
  private int changeStatusAt;

  Nfs4Compound(RpcCall call, XdrReader in, XdrWriter out, boolean now) {
    this.call = call;
    this.in = in;
    this.out = out;
    this.now = now;
  }

  /// Prepares this object for the next COMPOUND. A loop's thread reuses one object for all
  /// COMPOUNDs.
  Nfs4Compound again(RpcCall nextCall, XdrReader nextIn, XdrWriter nextOut) {
    call = nextCall;
    in = nextIn;
    out = nextOut;
    operations = 0;
    requestBytes = 0;
    index = 0;
    session = null;
    slot = null;
    slotIndex = 0;
    slotSequence = 0;
    cacheThis = false;
    resumed = false;
    replay = null;
    uncachedRetry = false;
    file = null;
    saved = null;
    stateId = StateId.ANONYMOUS;
    savedStateId = StateId.ANONYMOUS;
    return this; // `change` is unused: a loop's thread changes nothing
  }

  // ---- waiting ----------------------------------------------------------------------------------

  /// Returns the exception that an operation throws on the loop's thread instead of waiting.
  static NfsException wouldWait() {
    return new NfsException(WOULD_BLOCK);
  }

  /// Throws [#wouldWait] on the loop's thread, so that the COMPOUND is executed by a worker. Does
  /// nothing on a worker.
  void mayWait() throws NfsException {
    if (now) {
      throw wouldWait();
    }
  }

  /// Returns true if the current operation is small enough for the [GroupCommitQueue]. For WRITE
  /// and COMMIT, the tree must also order file data, because these operations would otherwise
  /// require a separate flush.
  ///
  /// @param argumentsAt the position of its arguments
  boolean fitsGroupCommit(int argumentsAt) {
    if (op != Nfs4Op.WRITE && op != Nfs4Op.COMMIT) {
      return Nfs4Op.isOnce(op);
    }
    FileRef at = file;
    if (at == null || !tree(at).ordersContent()) {
      return false;
    }
    in.position(argumentsAt);
    if (op == Nfs4Op.COMMIT || in.remaining() < WRITTEN_BYTES_AT + Integer.BYTES) {
      return true;
    }
    int bytes = in.peek(argumentsAt + WRITTEN_BYTES_AT);
    return bytes >= 0 && bytes <= GroupCommitQueue.MOST_CONTENT_BYTES;
  }

  // ---- stability --------------------------------------------------------------------------------

  /// Records that the reply reports a change, which must be stable before the reply is sent.
  void changed(FileTree tree, long stablePoint) throws IOException {
    if (change.add(call, tree, stablePoint)) {
      noteChange();
    }
  }

  /// Does the same as [#changed] for data that was written to a file.
  void written(FileRef file, boolean dataOnly) throws IOException {
    if (change.addContent(call, file, dataOnly)) {
      noteChange();
    }
  }

  private void noteChange() {
    changeIndex = index;
    changeOp = op;
    changeStatusAt = opStatusAt;
  }

  /// Returns true if the reply has to be delayed until a change is stable.
  boolean hasChanged() {
    return change.exists();
  }

  /// Sends the reply as soon as all changes are stable.
  ///
  /// @param then the listener that is invoked before the reply is sent
  void answerWhenStable(FileTree.StableListener then) {
    boolean _ = change.answerWhenStable(call, then);
  }

  /// Records that a change could not be made stable. Its operation fails, and it becomes the last
  /// operation of the COMPOUND.
  void neverStable(IOException why) {
    int status = why instanceof FsException known ? NfsStatus.of(known) : NfsStatus.IO;
    index = changeIndex;
    op = changeOp;
    opStatusAt = changeStatusAt;
    failed(status);
    out.patch(countAt, index + 1);
    out.patch(statusAt, status);
  }

  /// Discards the result of the current operation except for its status.
  void redo() {
    out.truncate(opStatusAt + Integer.BYTES);
  }

  /// Replaces the result of the current operation with an error status.
  void failed(int status) {
    redo();
    if (op == Nfs4Op.SETATTR) {
      out.int32(0); // attrsset, which is part of the result even on error: no attribute was set
    }
    out.patch(opStatusAt, status);
  }

  // ---- files ------------------------------------------------------------------------------------

  /// Returns the current file.
  ///
  /// @throws NfsException `NOFILEHANDLE` if there is no current file
  FileRef file() throws NfsException {
    return require(file);
  }

  /// Returns the saved file.
  ///
  /// @throws NfsException `NOFILEHANDLE` if there is no saved file
  FileRef saved() throws NfsException {
    return require(saved);
  }

  private static FileRef require(@Nullable FileRef file) throws NfsException {
    if (file == null) {
      throw new NfsException(Nfs4Status.NOFILEHANDLE);
    }
    return file;
  }

  /// Sets the current file and resets the current stateid to the anonymous stateid.
  void file(FileRef next) {
    file = next;
    stateId = StateId.ANONYMOUS;
  }

  static FileTree tree(FileRef file) {
    return file.export.exported().tree();
  }

  static Nfs4File.Key key(FileRef file) {
    return new Nfs4File.Key(tree(file), file.inode);
  }

  Caller caller(FileRef file) {
    return file.export.caller(call.credentials());
  }

  /// Returns the attributes of a file.
  ///
  /// @throws NfsException `STALE` if the file was removed or its inode number belongs to another
  ///   file
  FileAttributes attributes(FileRef file) throws NfsException, IOException {
    FileAttributes known = tree(file).tryAttributes(file.inode);
    if (known == null) {
      mayWait();
      known = tree(file).attributes(file.inode);
    }
    if (known.generation() != file.generation) {
      throw new NfsException(NfsStatus.STALE);
    }
    return known;
  }

  /// Returns the attributes of a directory.
  ///
  /// @throws NfsException `NOTDIR`, or `SYMLINK` for a symbolic link
  FileAttributes requireDirectory(FileRef directory) throws NfsException, IOException {
    FileAttributes a = attributes(directory);
    if (!a.isDirectory()) {
      boolean link = a.kind() == FileKind.SYMLINK;
      throw new NfsException(link ? Nfs4Status.SYMLINK : NfsStatus.NOTDIR);
    }
    return a;
  }

  /// Checks that a file is a regular file.
  ///
  /// @throws NfsException `ISDIR`, `SYMLINK`, or `WRONG_TYPE` for other files without content
  static void requireRegular(FileAttributes a) throws NfsException {
    switch (a.kind()) {
      case REGULAR -> {}
      case DIRECTORY -> throw new NfsException(NfsStatus.ISDIR);
      case SYMLINK -> throw new NfsException(Nfs4Status.SYMLINK);
      default -> throw new NfsException(Nfs4Status.WRONG_TYPE);
    }
  }

  /// Checks that a file may be changed through its export.
  ///
  /// @throws NfsException `ROFS` if the export is read-only
  static void requireWritable(FileRef file) throws NfsException {
    if (file.export.readOnly()) {
      throw new NfsException(NfsStatus.ROFS);
    }
  }

  /// Checks the caller's permissions.
  ///
  /// @throws NfsException `ACCES` unless the caller has all of the rights
  void requireAccess(FileRef file, int rights) throws NfsException, IOException {
    if (tree(file).access(caller(file), file.inode, rights) != rights) {
      throw new NfsException(NfsStatus.ACCES);
    }
  }

  // ---- arguments --------------------------------------------------------------------------------

  /// Reads the name of a directory entry.
  ///
  /// @throws NfsException `INVAL` for an empty name, `BADNAME` for `.`, `..` and names with `/` or
  ///   NUL, `NAMETOOLONG`
  byte[] name() throws NfsException {
    byte[] name = in.opaque(MAX_STRING_BYTES);
    if (name.length == 0) {
      throw new NfsException(NfsStatus.INVAL);
    }
    boolean dots = name[0] == '.' && (name.length == 1 || (name.length == 2 && name[1] == '.'));
    for (byte b : name) {
      dots |= b == '/' || b == 0;
    }
    if (dots) {
      throw new NfsException(Nfs4Status.BADNAME);
    }
    if (name.length > MAX_NAME_BYTES) {
      throw new NfsException(NfsStatus.NAMETOOLONG);
    }
    return name;
  }

  /// Reads a stateid. If it is the special stateid "current", the stateid that was set by an
  /// earlier operation is returned instead.
  StateId stateId() {
    StateId asked = StateId.read(in);
    return asked.isCurrent() ? stateId : asked;
  }

  // ---- exactly-once semantics -------------------------------------------------------------------

  /// Returns true if the reply must be recorded for retries after a restart.
  boolean isKept() {
    return slot != null && cacheThis;
  }

  /// Returns the key by which a retry of this COMPOUND is recognized.
  DuplicateKey key() {
    Nfs4Session through = session;
    if (through == null) {
      throw new IllegalStateException("no session");
    }
    return key(through.id, through.place, slotIndex, slotSequence);
  }

  /// Returns the key by which a retry of the given COMPOUND is recognized.
  ///
  /// @param index the index of the slot
  DuplicateKey key(long sessionId, long sessionPlace, int index, int sequence) {
    int uid = call.credentials().uid();
    return new DuplicateKey(
        sessionId, sessionPlace, sequence, call.checksum(), call.version() << 8 | index, uid);
  }

  /// Continues a COMPOUND that was started before the server was restarted.
  ///
  /// @param next the index of the next operation; `in` must be positioned at its arguments
  /// @param results the results of the previous operations, starting with the status
  void resume(int next, byte[] results, @Nullable FileRef current, @Nullable FileRef kept) {
    resumed = true;
    index = next - 1; // runAll increments it after this operation
    out.truncate(statusAt);
    out.fixed(results);
    file = current;
    saved = kept;
    stateId = StateId.INVALID;
  }

  // ---- the client -------------------------------------------------------------------------------

  /// Returns the client of the session. There is a session unless the operation is allowed without
  /// SEQUENCE.
  Nfs4Client client() {
    Nfs4Session through = session;
    if (through == null) {
      throw new IllegalStateException("no session");
    }
    return through.client;
  }

  /// Returns the number of bytes that can still be added to the reply.
  int room() {
    Nfs4Session through = session;
    if (through == null) {
      return out.remaining();
    }
    int most =
        cacheThis
            ? Math.min(through.fore.cachedBytes(), through.fore.responseBytes())
            : through.fore.responseBytes();
    return Math.min(out.remaining(), most - out.position());
  }
}
