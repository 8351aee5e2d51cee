package sluice.fs.journal;

import org.jspecify.annotations.Nullable;
import sluice.fs.block.Buffer;
import sluice.fs.cache.Frame;
import sluice.fs.cache.FrameClaims;
import sluice.memory.block.Block;

/// A block that is being changed by a transaction. Instances are confined to the thread of the
/// transaction.
final class TransactionBuffer extends Buffer {
  private final FrameClaims claims;

  /// The next buffer of the transaction, which may already be closed.
  final @Nullable TransactionBuffer next;

  /// Creates a buffer. The claim of the frame is transferred to it.
  TransactionBuffer(FrameClaims claims, Frame frame, @Nullable TransactionBuffer next) {
    super(frame.number(), frame);
    this.claims = claims;
    this.next = next;
  }

  @Override
  protected boolean writable() {
    return true;
  }

  @Override
  protected void letGo(Block held) {
    claims.letGo((Frame) held);
  }
}
