package sluice.fs.fuse;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.Errno;
import sluice.sys.IoVec;
import sluice.sys.uring.FuseUring;

/// An entry of a queue of FUSE over io_uring, in the memory of an exchange: the kernel writes a
/// request there and reads the reply from there. Used by one worker, while no command is armed.
///
/// ```
///  byte 0            288                    4096                            4096 + 1 MiB
///      +-------------+----------+-----------+------------------------------------------+
///      | the kernel's|          | request's | request's content (names, written        |
///      | header      |          | headers   | bytes), then the body of the reply       |
///      +-------------+----------+-----------+------------------------------------------+
/// ```
///
/// The headers are copied in front of the content, so that a request is contiguous.
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

  /// Returns the vector with which the entry is registered.
  MemorySegment vector() {
    return vector;
  }

  /// Returns the id with which the reply is committed.
  long commitId() {
    return memory.get(JAVA_LONG_UNALIGNED, COMMIT_ID);
  }

  /// Handles the request in this entry. Each request occupies the entry until it has been answered.
  /// Therefore a request that has no reply receives an empty reply, and a malformed request
  /// receives an error.
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
