package sluice.memory.block;

import java.lang.foreign.MemorySegment;

/// A block that its pool reuses: adds the operations with which a pool finds blocks without a
/// lease, writes them in place, and puts them into use again.
///
/// A pool whose blocks are found by threads that hold no lease of them offers the blocks that may
/// be found. A block that was withdrawn belongs to its holders alone; a thread that has found it
/// before gets no lease.
///
/// | leases | state |
/// |---|---|
/// | 0 | free |
/// | n | n holders |
/// | [#OFFERED] + n | n holders, and a thread that finds it may claim it if n is 1 |
/// | [#CLAIMED] | one thread writes it; a lease is refused |
///
/// Lifecycle: free → revived with one lease → leased, offered, claimed → free when the last lease
/// ends; repeated as often as the pool likes.
public abstract class PooledBlock extends Block {
  private static final int CLAIMED = Integer.MIN_VALUE / 2;

  /// Creates a block on memory that the pool owns, with `leases` leases at first.
  protected PooledBlock(MemorySegment segment, int leases) {
    super(segment, leases);
  }

  /// Adds a lease if the block has one and is not claimed.
  ///
  /// @return false if it is free or claimed
  protected final boolean tryLease() {
    return addLease();
  }

  /// Offers the block: a thread that finds it may claim it while the only lease is the pool's.
  /// Called by a holder while it is not claimed.
  protected final void offer() {
    int _ = (int) LEASES.getAndAdd((Block) this, OFFERED);
  }

  /// Withdraws the block: from now on it is only claimed by [#tryClaimOwn], so a thread that found
  /// it before cannot disturb its holders. Called by a holder besides the pool while it is not
  /// claimed.
  protected final void withdraw() {
    int _ = (int) LEASES.getAndAdd((Block) this, -OFFERED);
  }

  /// Claims an offered block for the caller alone, until [#unclaim]; leases are refused meanwhile.
  /// So the block may be written in place although other threads can find it.
  ///
  /// @return false if it is not offered, has other holders, or is claimed
  protected final boolean tryClaim() {
    return LEASES.compareAndSet((Block) this, OFFERED + 1, CLAIMED);
  }

  /// Claims a block that is not offered, for its only holder; see [#tryClaim].
  protected final boolean tryClaimOwn() {
    return LEASES.compareAndSet((Block) this, 1, CLAIMED);
  }

  /// Ends a claim. The block then has one lease.
  ///
  /// @param offered true if the block is offered from now on
  protected final void unclaim(boolean offered) {
    LEASES.setRelease((Block) this, offered ? OFFERED + 1 : 1);
  }

  /// Puts a free block into use again, with one lease.
  protected final void revive() {
    LEASES.setRelease((Block) this, 1);
  }
}
