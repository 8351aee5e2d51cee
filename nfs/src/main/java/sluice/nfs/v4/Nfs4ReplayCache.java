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

/// The replay cache of the sessions of earlier starts of the server: the COMPOUNDs that had changed
/// something, with their results so far. A COMPOUND that is retried through such a session is
/// answered and not done twice (RFC 8881, section 2.10.6.5). Filled at the start and read-only
/// afterwards; thread-safe.
///
/// A record is written by the operation that makes a change, in the group of that change
/// ([Nfs4Change]). It holds the results up to this operation and the state that is passed to the
/// next one. The following operations only read; they are run again when the request is retried.
/// Sessions of earlier starts take no new requests.
///
/// ```
///  0                                n       n + 4   n + 8    … variable …
///  +--------------------------------+-------+-------+--------+-------+-----+
///  | results, from the status on    | index | next  | handle | saved |  n  |
///  +--------------------------------+-------+-------+--------+-------+-----+
/// ```
///
/// `index` is the index of the next operation, `next` the position of its arguments, `n` the length
/// of the results. A handle of length 0 means that there is no file.
final class Nfs4ReplayCache {
  private static final int VERSION = 4;

  /// The maximum length of the fields behind the results.
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

  // ---- keeping ----------------------------------------------------------------------------------

  /// Records the reply so far, in the group of the change. Too long replies and replies that the
  /// client does not want cached are left out.
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

  /// Answers a retry through an unknown session.
  ///
  /// @param key the key of the request
  /// @return `BADSESSION` if there is no record; OK if the COMPOUND continues behind the recorded
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
