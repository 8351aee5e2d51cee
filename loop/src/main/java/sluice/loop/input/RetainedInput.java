package sluice.loop.input;

import sluice.memory.block.Block;

/// Input that outlives its handler: a chunk of the arena, or a copy, that counts against its
/// connection's quota until the last reference to it ends. Made by the loop's thread, freed by
/// whichever thread lets go last.
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

  /// Takes a lease of its own on a chunk that was charged.
  public static RetainedInput chunk(Block chunk, ConnectionLeases quota) {
    return new RetainedInput(chunk.lease(), quota, true);
  }

  /// Takes over the caller's lease on a copy that was charged.
  public static RetainedInput copy(Block copy, ConnectionLeases quota) {
    return new RetainedInput(copy, quota, false);
  }

  @Override
  protected void free() {
    // The quota last: a thread that sees room in it finds the memory given back.
    long bytes = under.lengthBytes();
    under.release();
    if (chunk) {
      quota.refundChunk();
    } else {
      quota.refundCopy(bytes);
    }
  }
}
