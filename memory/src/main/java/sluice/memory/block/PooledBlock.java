package sluice.memory.block;

import java.lang.foreign.MemorySegment;

/// A block that is reused by its pool. This class adds the operations with which a pool acquires
/// leases of blocks that it finds, writes blocks in place, and reuses blocks that have become free.
///
/// If threads that hold no lease can find the blocks of a pool, then the pool offers the blocks
/// that may be claimed. After a block has been withdrawn it belongs only to its holders, and a
/// thread that found it earlier can no longer claim it.
///
/// | leases | state |
/// |---|---|
/// | 0 | free |
/// | n | n holders |
/// | [#OFFERED] + n | n holders, and a thread that finds it may claim it if n is 1 |
/// | [#CLAIMED] | one thread writes it; a lease is refused |
///
/// Lifecycle: free → revived with one lease → leased, offered, claimed → free when the last lease
/// is released. A pool may repeat this cycle any number of times.
public abstract class PooledBlock extends Block {
  private static final int CLAIMED = Integer.MIN_VALUE / 2;

  /// Creates a block on memory that the pool owns. The block initially has the given number of
  /// leases.
  protected PooledBlock(MemorySegment segment, int leases) {
    super(segment, leases);
  }

  /// Acquires a lease if the block has one and is not claimed.
  ///
  /// @return false if the block is free or claimed
  protected final boolean tryLease() {
    return addLease();
  }

  /// Offers this block. A thread that finds it may claim it while the pool holds the only lease.
  /// Must be called by a holder while the block is not claimed.
  protected final void offer() {
    int _ = (int) LEASES.getAndAdd((Block) this, OFFERED);
  }

  /// Withdraws this block. From now on it can be claimed only by [#tryClaimOwn], so a thread that
  /// found it earlier cannot disturb its holders. Must be called by a holder other than the pool
  /// while the block is not claimed.
  protected final void withdraw() {
    int _ = (int) LEASES.getAndAdd((Block) this, -OFFERED);
  }

  /// Claims an offered block exclusively for the caller until [#unclaim] is called. Leases are
  /// refused in the meantime, so the block may be written in place even though other threads can
  /// find it.
  ///
  /// @return false if the block is not offered, has other holders, or is already claimed
  protected final boolean tryClaim() {
    return LEASES.compareAndSet((Block) this, OFFERED + 1, CLAIMED);
  }

  /// Claims a block that is not offered on behalf of its only holder. See [#tryClaim].
  protected final boolean tryClaimOwn() {
    return LEASES.compareAndSet((Block) this, 1, CLAIMED);
  }

  /// Releases the claim. The block has one lease afterwards.
  ///
  /// @param offered true if the block is to be offered from now on
  protected final void unclaim(boolean offered) {
    LEASES.setRelease((Block) this, offered ? OFFERED + 1 : 1);
  }

  /// Reuses a free block, which has one lease afterwards.
  protected final void revive() {
    LEASES.setRelease((Block) this, 1);
  }
}
