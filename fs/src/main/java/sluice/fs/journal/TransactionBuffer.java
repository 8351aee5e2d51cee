package sluice.fs.journal;

import org.jspecify.annotations.Nullable;
import sluice.fs.block.Buffer;
import sluice.fs.cache.Frame;
import sluice.fs.cache.FrameClaims;
import sluice.memory.block.Block;

/// A block that a transaction is changing. Confined to the transaction's thread.
final class TransactionBuffer extends Buffer {
  private final FrameClaims claims;

  /// The next buffer of the transaction. It may be closed already.
  final @Nullable TransactionBuffer next;

  /// Creates a buffer, which takes over a claim.
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
