package sluice.nfs.v4;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import sluice.memory.View;
import sluice.memory.ViewBinder;
import sluice.nfs.export.Exports;
import sluice.nfs.export.FileHandles;
import sluice.nfs.export.FileRef;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.export.PersistentReplies;
import sluice.nfs.export.ReplyRecord;
import sluice.nfs.rpc.DuplicateKey;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;
import sluice.nfs.v4.wire.Nfs4Status;

/// The replay cache of sessions from before the server was started: what COMPOUNDs had changed, and
/// answered so far. So a COMPOUND that comes again through such a session is answered, not done
/// twice (RFC 8881, section 2.10.6.5). Made at the start; any thread may use it.
///
/// A record is written in the group of the change ([Nfs4Change]), by the operation that changes: it
/// has the results up to this one, and what the operations behind it are handed on. They only look,
/// and are done when the request comes again. Such a session takes no new requests.
///
/// ```
///  0                                n       n + 4   n + 8    … variable …
///  +--------------------------------+-------+-------+--------+-------+-----+
///  | results, from the status on    | index | next  | handle | saved |  n  |
///  +--------------------------------+-------+-------+--------+-------+-----+
/// ```
///
/// `index` is that of the operation behind, `next` where in the arguments it begins; a handle of no
/// bytes is none.
final class Nfs4ReplayCache {
  private static final int VERSION = 4;

  /// What stands behind the results, at most.
  private static final int MOST_BYTES_BEHIND = 2 * 4 + 2 * (4 + FileHandles.BYTES) + 4;

  private final Map<DuplicateKey, byte[]> answers = new HashMap<>();
  private final FileHandles handles;

  /// Takes what the exports' trees have kept.
  Nfs4ReplayCache(Exports exports, FileHandles handles) {
    this.handles = handles;
    exports.list().stream()
        .map(export -> export.exported().records())
        .filter(Objects::nonNull)
        .map(Objects::requireNonNull)
        .distinct()
        .flatMap(records -> records.restored().stream())
        .filter(content -> content.call().version() == VERSION)
        .forEach(content -> answers.put(content.call(), content.answer()));
  }

  // ---- keeping ----------------------------------------------------------------------------------

  /// Keeps what has been answered, in the group of the change. What is too long, and whose client
  /// does not want it to be kept, is not.
  static void keep(Nfs4Compound c, PersistentReplies records) throws IOException {
    XdrWriter out = c.out;
    int end = out.position();
    int length = end - c.statusAt;
    if (length > ReplyRecord.MAX_ANSWER_BYTES - MOST_BYTES_BEHIND
        || out.remaining() < MOST_BYTES_BEHIND) {
      return;
    }
    out.int32(c.index + 1).int32(c.in.position() - c.argumentsAt);
    write(out, c.file);
    write(out, c.saved);
    out.int32(length);
    byte[] record = out.bytesFrom(c.statusAt);
    out.truncate(end);
    records.write(c.key(), record);
  }

  private static void write(XdrWriter to, @Nullable FileRef file) {
    if (file == null || file.export.exported().records() == null) {
      to.int32(0);
    } else {
      FileHandles.write(to, file);
    }
  }

  // ---- answering --------------------------------------------------------------------------------

  /// What a retry through a session that is not known is told.
  ///
  /// @param key of the request
  /// @return `BADSESSION` when nothing is known of it; OK when its operations are to go on behind
  ///   the operation that had changed something
  int resume(Nfs4Compound c, DuplicateKey key) throws NfsException {
    byte[] record = answers.get(key);
    if (record == null) {
      return Nfs4Status.BADSESSION;
    }
    c.mayWait();
    View view =
        new ViewBinder(Thread.currentThread())
            .bind(MemorySegment.ofArray(record), 0, record.length);
    XdrReader in = new XdrReader().open(view, 0, record.length);
    in.position(record.length - Integer.BYTES);
    int length = in.int32();
    in.position(0);
    byte[] results = in.fixed(length);
    int index = in.int32();
    int next = in.int32();
    FileRef file = read(in);
    FileRef saved = read(in);
    c.in.position(c.argumentsAt + next);
    c.resume(index, results, file, saved);
    return NfsStatus.OK;
  }

  private @Nullable FileRef read(XdrReader in) throws NfsException {
    if (in.peek(in.position()) == 0) {
      in.int32();
      return null;
    }
    return handles.read(in, FileHandles.BYTES);
  }

  /// Whether it has any.
  boolean isEmpty() {
    return answers.isEmpty();
  }
}
