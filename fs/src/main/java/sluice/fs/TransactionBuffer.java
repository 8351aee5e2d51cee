package sluice.fs;

import org.jspecify.annotations.Nullable;
import sluice.memory.Block;

/// A block in the hands of a transaction. Of the transaction's thread.
final class TransactionBuffer extends Buffer {
  private final FrameClaims claims;
  private final long number;
  private @Nullable Frame frame;

  /// The next of the open buffers of the transaction, some of which are closed already.
  final @Nullable TransactionBuffer next;

  /// Takes over a claim.
  TransactionBuffer(FrameClaims claims, Frame frame, @Nullable TransactionBuffer next) {
    this.claims = claims;
    this.frame = frame;
    this.next = next;
    number = frame.number();
  }

  @Override
  public long number() {
    return number;
  }

  @Override
  public Block block() {
    if (frame == null) {
      throw new IllegalStateException("the buffer of block " + number + " is closed");
    }
    return frame;
  }

  @Override
  boolean writable() {
    return true;
  }

  boolean closed() {
    return frame == null;
  }

  @Override
  public void close() {
    if (frame != null) {
      Frame held = frame;
      frame = null;
      claims.letGo(held);
    }
  }
}
