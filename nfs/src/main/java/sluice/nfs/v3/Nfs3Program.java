package sluice.nfs.v3;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import sluice.nfs.export.Exports;
import sluice.nfs.export.FileHandles;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.export.PersistentReplies;
import sluice.nfs.export.ReplyRecord;
import sluice.nfs.rpc.DuplicateKey;
import sluice.nfs.rpc.RpcCall;
import sluice.nfs.rpc.RpcProgram;
import sluice.nfs.rpc.RpcRefusal;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;

/// The program NFS, version 3 (RFC 1813). It is called concurrently by several loops and workers.
///
/// A call is answered on the loop's thread if possible ([Nfs3FastPath]), and is otherwise executed
/// by a worker. Non-idempotent calls use the [DuplicateRequestCache], which is initialized from the
/// [PersistentReplies] of the exported trees when the server starts.
public final class Nfs3Program implements RpcProgram {
  static final int PROGRAM = 100_003;
  static final int VERSION = 3;

  private static final int MAX_ANSWERS = 8192;

  private final FileHandles handles;
  private final Nfs3FastPath fastPath;
  private final Nfs3Writing writing;
  private final DuplicateRequestCache duplicates = new DuplicateRequestCache(MAX_ANSWERS);

  /// Creates the program.
  ///
  /// @param exports the file trees to serve
  /// @param handles the file handles of these exports
  /// @param verifier the write verifier, see [Nfs3Writing]
  public Nfs3Program(Exports exports, FileHandles handles, long verifier) {
    this.handles = handles;
    fastPath = new Nfs3FastPath(handles);
    writing = new Nfs3Writing(verifier);
    for (PersistentReplies records : records(exports)) {
      for (ReplyRecord.Content one : records.restored()) {
        if (one.call().version() == VERSION) {
          duplicates.restore(one.call(), one.answer());
        }
      }
    }
  }

  private static List<PersistentReplies> records(Exports exports) {
    return exports.list().stream()
        .map(export -> export.exported().records())
        .filter(Objects::nonNull)
        .map(Objects::requireNonNull)
        .distinct()
        .toList();
  }

  @Override
  public int number() {
    return PROGRAM;
  }

  @Override
  public int lowestVersion() {
    return VERSION;
  }

  @Override
  public boolean tryCall(RpcCall call, XdrReader arguments, XdrWriter results) {
    Nfs3Procedure procedure = Nfs3Procedure.of(call.procedure());
    if (procedure == null) {
      return false;
    }
    int start = arguments.position();
    if (fastPath.run(procedure, call, arguments, results)) {
      return true;
    }
    arguments.position(start);
    if (fastPath.fitsGroupCommit(procedure, call, arguments)) {
      call.forGroupCommit();
    }
    return false;
  }

  @Override
  public int leases(RpcCall call, XdrReader arguments) {
    if (Nfs3Procedure.of(call.procedure()) != Nfs3Procedure.READ) {
      return 0;
    }
    arguments.skip(arguments.length(Nfs3Call.MAX_HANDLE_BYTES));
    arguments.int64();
    return (int) Math.min(arguments.uint32(), Nfs3System.MAX_TRANSFER_BYTES);
  }

  @Override
  public void call(RpcCall call, XdrReader arguments, XdrWriter results) {
    Nfs3Procedure procedure = Nfs3Procedure.of(call.procedure());
    if (procedure == null) {
      throw new RpcRefusal(RpcRefusal.PROCEDURE_UNAVAILABLE);
    }
    if (!procedure.once()) {
      Nfs3Call running = new Nfs3Call(call, arguments, results, procedure, handles, null);
      run(running);
      running.answerWhenStable(running::stable);
      return;
    }
    DuplicateKey key = DuplicateKey.of(call);
    byte[] known = duplicates.begin(key, call::beforeWaiting);
    if (known != null) {
      results.fixed(known);
      return;
    }
    boolean later = false;
    byte[] answer = null;
    try {
      Nfs3Call running = new Nfs3Call(call, arguments, results, procedure, handles, key);
      run(running);
      later = running.answerWhenStable(failure -> end(key, running, failure));
      answer = later ? null : kept(running);
    } finally {
      if (!later) {
        duplicates.end(key, answer);
      }
    }
  }

  /// Executes a call and writes its reply or its refusal.
  private void run(Nfs3Call call) {
    try {
      run(call, call.procedure);
    } catch (NfsException | IOException refused) {
      call.refuse(refused);
    }
  }

  /// Completes a call after its change has become stable or has failed.
  private void end(DuplicateKey key, Nfs3Call call, @Nullable IOException failure) {
    byte[] answer = null;
    try {
      call.stable(failure);
      answer = kept(call);
    } finally {
      duplicates.end(key, answer);
    }
  }

  /// Returns the reply to cache. Returns null for JUKEBOX, because the client must be able to
  /// repeat the call.
  private static byte @Nullable [] kept(Nfs3Call call) {
    return call.status() == NfsStatus.JUKEBOX ? null : call.answer();
  }

  private void run(Nfs3Call call, Nfs3Procedure procedure) throws IOException, NfsException {
    switch (procedure) {
      case NULL -> {}
      case GETATTR -> Nfs3Reading.getattr(call);
      case SETATTR -> Nfs3Writing.setattr(call);
      case LOOKUP -> Nfs3Reading.lookup(call);
      case ACCESS -> Nfs3Reading.access(call);
      case READLINK -> Nfs3Reading.readlink(call);
      case READ -> Nfs3Reading.read(call);
      case WRITE -> writing.write(call);
      case CREATE -> Nfs3Names.create(call);
      case MKDIR -> Nfs3Names.mkdir(call);
      case SYMLINK -> Nfs3Names.symlink(call);
      case MKNOD -> Nfs3Names.mknod(call);
      case REMOVE -> Nfs3Removing.remove(call);
      case RMDIR -> Nfs3Removing.rmdir(call);
      case RENAME -> Nfs3Removing.rename(call);
      case LINK -> Nfs3Names.link(call);
      case READDIR -> Nfs3Listing.readdir(call);
      case READDIRPLUS -> Nfs3Listing.readdirplus(call);
      case FSSTAT -> Nfs3System.fsstat(call);
      case FSINFO -> Nfs3System.fsinfo(call);
      case PATHCONF -> Nfs3System.pathconf(call);
      case COMMIT -> writing.commit(call);
    }
  }
}
