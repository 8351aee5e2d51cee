package sluice.fs.journal;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.block.Buffer;
import sluice.fs.block.Transaction;
import sluice.fs.cache.Frame;
import sluice.fs.cache.FrameClaims;
import sluice.fs.cache.FrameClaims.Purpose;
import sluice.fs.cache.FrameClaims.Start;
import sluice.memory.Memory;

/// The common base class of the transactions of both journals. It implements nesting and the list
/// of open buffers. An instance is confined to one thread, which reuses it and keeps it until the
/// thread terminates. Therefore it refers to its journal only through a reference that is cleared
/// when the journal is closed.
abstract class FrameTransaction implements Transaction {
  private @Nullable TransactionBuffer buffers;
  private int depth;
  private long gateStamp;

  abstract FrameClaims claims();

  final boolean open() {
    return depth > 0;
  }

  final void join() {
    depth++;
  }

  final void begin(long stamp) {
    depth = 1;
    gateStamp = stamp;
  }

  /// Ends the outermost transaction and releases the gate.
  abstract void ended(long stamp);

  final Frame claim(long block, Start start, Purpose purpose) throws IOException {
    checkOpen();
    return claims().claim(block, start, purpose);
  }

  final Buffer buffer(Frame frame) {
    while (buffers != null && buffers.closed()) {
      buffers = buffers.next;
    }
    buffers = new TransactionBuffer(claims(), frame, buffers);
    return buffers;
  }

  /// Fills a claimed frame and releases the claim.
  final void fill(Frame frame, Memory from, long at) {
    try {
      frame.fillFrom(from, at);
    } finally {
      claims().letGo(frame);
    }
  }

  final void checkOpen() {
    if (depth == 0) {
      throw new IllegalStateException("the transaction is closed");
    }
  }

  @Override
  public final void close() {
    checkOpen();
    if (depth > 1) {
      depth--;
      return;
    }
    for (TransactionBuffer at = buffers; at != null; at = at.next) {
      at.close();
    }
    buffers = null;
    depth = 0;
    ended(gateStamp);
  }
}
