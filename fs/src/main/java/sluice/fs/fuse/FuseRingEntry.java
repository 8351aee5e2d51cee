package sluice.fs.fuse;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.Errno;
import sluice.sys.IoVec;
import sluice.sys.uring.FuseUring;

/// An entry of a queue of FUSE over io_uring, in an exchange's memory: the kernel writes a request
/// there and takes the answer from there. Of one worker, while no command is armed.
///
/// ```
///  byte 0            288                    4096                            4096 + 1 MiB
///      +-------------+----------+-----------+------------------------------------------+
///      | the kernel's|          | request's | request's content (names, what is        |
///      | header      |          | headers   | written), then the answer's body         |
///      +-------------+----------+-----------+------------------------------------------+
/// ```
///
/// The headers are copied to where the content begins, so that a request is one piece.
final class FuseRingEntry {
  private static final int CONTENT = FuseExchange.CONTENT;
  private static final int OP_BYTES =
      FuseLayout.RING_HEADER_RING_ENT_IN_OUT - FuseLayout.RING_HEADER_OP_IN;
  private static final int COMMIT_ID =
      FuseLayout.RING_HEADER_RING_ENT_IN_OUT + FuseLayout.RING_ENTRY_COMMIT_ID;
  private static final int CONTENT_BYTES =
      FuseLayout.RING_HEADER_RING_ENT_IN_OUT + FuseLayout.RING_ENTRY_PAYLOAD_SZ;

  private final FuseExchange x;
  private final FuseDispatcher answers;
  private final MemorySegment memory;
  private final MemorySegment vector;

  FuseRingEntry(FuseExchange exchange) {
    x = exchange;
    answers = new FuseDispatcher(exchange);
    memory = exchange.buffer.segment();
    vector = Arena.ofAuto().allocate((long) FuseUring.RANGES * IoVec.SIZE, Long.BYTES);
    IoVec.set(vector, 0, 0, memory, 0, FuseLayout.RING_HEADER_BYTES);
    IoVec.set(vector, 0, 1, memory, CONTENT, FuseSession.MAX_TRANSFER);
    exchange.reply.copyTo(memory, CONTENT);
  }

  /// What it is registered with.
  MemorySegment vector() {
    return vector;
  }

  /// What the answer is handed over with.
  long commitId() {
    return memory.get(JAVA_LONG_UNALIGNED, COMMIT_ID);
  }

  /// Answers the request that the kernel has put there. Each request takes the entry until there is
  /// an answer, so a request that wants none gets an empty one, and a request that contradicts
  /// itself an error.
  void answer() {
    if (!accept()) {
      x.reply.begin(commitId());
      x.reply.fail(Errno.EIO);
    } else if (!answers.answer()) {
      x.reply.begin(commitId());
    }
    memory.set(JAVA_INT_UNALIGNED, CONTENT_BYTES, x.reply.copyRest(0));
  }

  private boolean accept() {
    int length = memory.get(JAVA_INT_UNALIGNED, FuseLayout.IN_LEN);
    int content = memory.get(JAVA_INT_UNALIGNED, CONTENT_BYTES);
    if (content < 0 || content > FuseSession.MAX_TRANSFER) {
      return false;
    }
    int first = length - FuseLayout.IN_BYTES - content;
    if (first < 0 || first > OP_BYTES) {
      return false;
    }
    int start = CONTENT - first - FuseLayout.IN_BYTES;
    MemorySegment.copy(memory, 0, memory, start, FuseLayout.IN_BYTES);
    int body = start + FuseLayout.IN_BYTES;
    MemorySegment.copy(memory, FuseLayout.RING_HEADER_OP_IN, memory, body, first);
    return x.request.accept(start, length);
  }
}
