package sluice.acceptance.stress;

import sluice.memory.block.Block;
import sluice.memory.block.PooledBlock;

/// A block of a pool: it is found without a lease, freed, and put into use again. Any thread calls.
final class PoolBlock extends PooledBlock {
  private final Block under;
  private int frees;

  /// @param leases how many there are at first
  PoolBlock(int leases) {
    this(Bytes.block(Bytes.OLD), leases);
  }

  private PoolBlock(Block under, int leases) {
    super(under.segment(), leases);
    this.under = under;
  }

  /// How often it was freed. By the thread that freed it, or when all have ended.
  int frees() {
    return frees;
  }

  boolean found() {
    return tryLease();
  }

  void offered() {
    offer();
  }

  boolean claimed() {
    return tryClaim();
  }

  void unclaimed() {
    unclaim(true);
  }

  void used() {
    revive();
  }

  /// Gives the bytes back, when the test is over.
  void end() {
    under.release();
  }

  @Override
  protected void free() {
    frees++;
  }
}
