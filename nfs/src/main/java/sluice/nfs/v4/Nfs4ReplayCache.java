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

/// The replay cache for the sessions of previous runs of the server. It contains the COMPOUNDs that
/// had changed something, together with the results that had been written. If such a COMPOUND is
/// retried, it is answered instead of being executed twice (RFC 8881, section 2.10.6.5). The cache
/// is filled when the server starts and is read-only afterwards. This class is thread-safe.
///
/// A record is written by the operation that makes a change, in the group of that change
/// ([Nfs4Change]). It contains the results up to this operation and the state that is passed to the
/// next operation. All subsequent operations only read, so they are executed again when the request
/// is retried. New requests are not accepted in the sessions of previous runs.
///
/// ```
///  0                                n       n + 4   n + 8    … variable …
///  +--------------------------------+-------+-------+--------+-------+-----+
///  | results, from the status on    | index | next  | handle | saved |  n  |
///  +--------------------------------+-------+-------+--------+-------+-----+
/// ```
///
/// The field `index` is the index of the next operation, `next` is the position of its arguments,
/// and `n` is the length of the results. A handle with length 0 means that there is no file.
final class Nfs4ReplayCache {
  private static final int VERSION = 4;

  /// The maximum length of the fields that follow the results.
  private static final int MOST_BYTES_BEHIND = 2 * 4 + 2 * (4 + FileHandles.BYTES) + 4;

  private final Map<DuplicateKey, byte[]> answers = new HashMap<>();
  private final FileHandles handles;

  /// Reads the records of all exported trees.
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

  // ---- recording --------------------------------------------------------------------------------

  /// Records the reply that has been written so far, in the group of the change. A reply is not
  /// recorded if it is too long or if the client does not want it to be cached.
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

  // ---- retries ----------------------------------------------------------------------------------

  /// Answers a retry that uses an unknown session.
  ///
  /// @param key the key of the request
  /// @return `BADSESSION` if there is no record, or OK if the COMPOUND continues after the recorded
  ///   operation
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

  /// Returns true if there are no records.
  boolean isEmpty() {
    return answers.isEmpty();
  }
}
