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

/// A COMPOUND that is being worked on: arguments, answer, and what its operations hand on to each
/// other (RFC 8881, section 16.2). Of the thread that handles it.
final class Nfs4Compound {
  /// What an operation says on the loop's thread when it would have to wait; no status.
  static final int WOULD_BLOCK = -1;

  /// Where a WRITE says how much it writes: behind stateid, offset and `stable_how4`.
  private static final int WRITTEN_BYTES_AT = 16 + 8 + 4;

  private static final int MAX_NAME_BYTES = 255;
  private static final int MAX_STRING_BYTES = 8192;

  RpcCall call;
  XdrReader in;
  XdrWriter out;

  /// Whether this is the loop's thread, which does not wait.
  final boolean now;

  /// Where in the request its arguments begin.
  int argumentsAt;

  /// Operations it has, and bytes from the RPC header on, as far as it is known.
  int operations;

  int requestBytes;

  /// Where in the answer its status is, and the number of its results.
  int statusAt;

  int countAt;

  /// Which of its operations is at work, and where in the answer that one's status is.
  int index;

  int op;
  int opStatusAt;

  @Nullable Nfs4Session session;
  @Nullable Nfs4Slot slot;
  int slotIndex;
  int slotSequence;
  boolean cacheThis;

  /// Its first operations were done before the server was started.
  boolean resumed;

  /// The request was answered before: with these bytes.
  byte @Nullable [] replay;

  /// The request was answered before, and the answer was not kept.
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

  /// Begins another one: a loop's thread has one object for all of them.
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
    return this; // what is changed on the loop's thread is nothing
  }

  // ---- waiting ----------------------------------------------------------------------------------

  /// What to throw on the loop's thread instead of waiting.
  static NfsException wouldWait() {
    return new NfsException(WOULD_BLOCK);
  }

  /// Passes to a worker unless this is one.
  void mayWait() throws NfsException {
    if (now) {
      throw wouldWait();
    }
  }

  /// Whether the operation at work is small enough for the [GroupCommitQueue]. Only writes may be
  /// large, or be made stable by themselves.
  ///
  /// @param argumentsAt where its arguments are
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

  /// Notes that the answer tells of a change, which must be stable before it is sent.
  void changed(FileTree tree, long stablePoint) throws IOException {
    if (change.add(call, tree, stablePoint)) {
      noteChange();
    }
  }

  /// As [#changed], of content that was written to a file.
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

  /// Whether something was changed that the answer has to wait for.
  boolean hasChanged() {
    return change.exists();
  }

  /// Lets the answer wait for what was changed, if anything was.
  ///
  /// @param then runs before it is sent
  void answerWhenStable(FileTree.StableListener then) {
    boolean _ = change.answerWhenStable(call, then);
  }

  /// The change will never be stable: the operation that has made it was the last, and has failed.
  void neverStable(IOException why) {
    int status = why instanceof FsException known ? NfsStatus.of(known) : NfsStatus.IO;
    index = changeIndex;
    op = changeOp;
    opStatusAt = changeStatusAt;
    failed(status);
    out.patch(countAt, index + 1);
    out.patch(statusAt, status);
  }

  /// Forgets the result of the operation at work but for its status.
  void redo() {
    out.truncate(opStatusAt + Integer.BYTES);
  }

  /// Writes the result of the operation at work anew: nothing but its status.
  void failed(int status) {
    redo();
    if (op == Nfs4Op.SETATTR) {
      out.int32(0); // it tells in any case what was set: nothing
    }
    out.patch(opStatusAt, status);
  }

  // ---- files ------------------------------------------------------------------------------------

  /// The current file.
  ///
  /// @throws NfsException `NOFILEHANDLE`
  FileRef file() throws NfsException {
    return require(file);
  }

  /// The saved file.
  ///
  /// @throws NfsException `NOFILEHANDLE`
  FileRef saved() throws NfsException {
    return require(saved);
  }

  private static FileRef require(@Nullable FileRef file) throws NfsException {
    if (file == null) {
      throw new NfsException(Nfs4Status.NOFILEHANDLE);
    }
    return file;
  }

  /// Makes another file the current one; the current stateid has no owner then.
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

  /// What a file's attributes are now.
  ///
  /// @throws NfsException `STALE` when it was removed, or its number belongs to another file
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

  /// @throws NfsException `NOTDIR`, or `SYMLINK` for a symbolic link
  FileAttributes requireDirectory(FileRef directory) throws NfsException, IOException {
    FileAttributes a = attributes(directory);
    if (!a.isDirectory()) {
      boolean link = a.kind() == FileKind.SYMLINK;
      throw new NfsException(link ? Nfs4Status.SYMLINK : NfsStatus.NOTDIR);
    }
    return a;
  }

  /// @throws NfsException `ISDIR`, `SYMLINK`, `WRONG_TYPE` for what has no content
  static void requireRegular(FileAttributes a) throws NfsException {
    switch (a.kind()) {
      case REGULAR -> {}
      case DIRECTORY -> throw new NfsException(NfsStatus.ISDIR);
      case SYMLINK -> throw new NfsException(Nfs4Status.SYMLINK);
      default -> throw new NfsException(Nfs4Status.WRONG_TYPE);
    }
  }

  /// @throws NfsException `ROFS`
  static void requireWritable(FileRef file) throws NfsException {
    if (file.export.readOnly()) {
      throw new NfsException(NfsStatus.ROFS);
    }
  }

  /// @throws NfsException `ACCES` unless the caller has all of the rights
  void requireAccess(FileRef file, int rights) throws NfsException, IOException {
    if (tree(file).access(caller(file), file.inode, rights) != rights) {
      throw new NfsException(NfsStatus.ACCES);
    }
  }

  // ---- arguments --------------------------------------------------------------------------------

  /// Reads a name that a directory may hold.
  ///
  /// @throws NfsException `INVAL` for an empty one, `BADNAME` for `.`, `..` and what holds `/` or
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

  /// Reads a stateid; the current one stands for what an operation before has made.
  StateId stateId() {
    StateId asked = StateId.read(in);
    return asked.isCurrent() ? stateId : asked;
  }

  // ---- exactly once -----------------------------------------------------------------------------

  /// Whether the answer is to be kept over a restart.
  boolean isKept() {
    return slot != null && cacheThis;
  }

  /// What a retry has in common with it.
  DuplicateKey key() {
    Nfs4Session through = session;
    if (through == null) {
      throw new IllegalStateException("no session");
    }
    return key(through.id, through.place, slotIndex, slotSequence);
  }

  /// What a retry has in common with it.
  ///
  /// @param index of the slot
  DuplicateKey key(long sessionId, long sessionPlace, int index, int sequence) {
    int uid = call.credentials().uid();
    return new DuplicateKey(
        sessionId, sessionPlace, sequence, call.checksum(), call.version() << 8 | index, uid);
  }

  /// Goes on with what was begun before the server was started.
  ///
  /// @param next operation to be done; the arguments are in front of it
  /// @param results of those before, from the status on
  void resume(int next, byte[] results, @Nullable FileRef current, @Nullable FileRef kept) {
    resumed = true;
    index = next - 1; // which ends now
    out.truncate(statusAt);
    out.fixed(results);
    file = current;
    saved = kept;
    stateId = StateId.INVALID;
  }

  // ---- the client -------------------------------------------------------------------------------

  /// Whose session it came through: every operation but those without a session has one.
  Nfs4Client client() {
    Nfs4Session through = session;
    if (through == null) {
      throw new IllegalStateException("no session");
    }
    return through.client;
  }

  /// Bytes the answer may still grow.
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
