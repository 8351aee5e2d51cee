package sluice.loop.input;

import sluice.memory.block.Block;

/// Input that outlives its handler. It is a chunk of the arena, or a copy, and is charged to its
/// connection's quota until the last reference to it is released. It is created by the loop's
/// thread and freed by the thread that releases it last.
public final class RetainedInput extends Block {
  private final Block under;
  private final ConnectionLeases quota;
  private final boolean chunk;

  private RetainedInput(Block under, ConnectionLeases quota, boolean chunk) {
    super(under.segment(), 1);
    this.under = under;
    this.quota = quota;
    this.chunk = chunk;
  }

  /// Creates retained input with a separate lease on a charged chunk.
  public static RetainedInput chunk(Block chunk, ConnectionLeases quota) {
    return new RetainedInput(chunk.lease(), quota, true);
  }

  /// Creates retained input and transfers the caller's lease on a charged copy to it.
  public static RetainedInput copy(Block copy, ConnectionLeases quota) {
    return new RetainedInput(copy, quota, false);
  }

  @Override
  protected void free() {
    // The quota is refunded last, so a thread that observes free quota finds the memory released.
    long bytes = under.lengthBytes();
    under.release();
    if (chunk) {
      quota.refundChunk();
    } else {
      quota.refundCopy(bytes);
    }
  }
}
