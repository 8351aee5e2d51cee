package sluice.memory.block;

import java.lang.foreign.MemorySegment;

/// A block that its pool uses again and again: the verbs by which a pool finds blocks without a
/// lease, writes them in place and puts them into use again.
///
/// A pool whose blocks are found by threads that do not hold them offers those that may be found: a
/// block that was withdrawn belongs to its holders alone; threads that have found it before get no
/// lease.
///
/// | leases | state |
/// |---|---|
/// | 0 | free |
/// | n | n holders |
/// | [#OFFERED] + n | the same, and a thread that finds it may claim it when n is 1 |
/// | [#CLAIMED] | one thread writes it; a lease is refused |
///
/// Lifecycle: free → revived with one lease → leased, offered, claimed → free when the last lease
/// ends, as often as the pool likes.
public abstract class PooledBlock extends Block {
  private static final int CLAIMED = Integer.MIN_VALUE / 2;

  /// A block over memory that the pool owns, at first with `leases` leases.
  protected PooledBlock(MemorySegment segment, int leases) {
    super(segment, leases);
  }

  /// Adds a lease if the block has one and is not claimed.
  ///
  /// @return false when it is free or claimed: nothing was added
  protected final boolean tryLease() {
    return addLease();
  }

  /// From now on a thread that finds the block may claim it while the only lease is the pool's. By
  /// a holder, not while it is claimed.
  protected final void offer() {
    int _ = (int) LEASES.getAndAdd((Block) this, OFFERED);
  }

  /// From now on the block is claimed by [#tryClaimOwn] only, so a thread that found it before
  /// cannot disturb its holders. By a holder beside the pool, not while it is claimed.
  protected final void withdraw() {
    int _ = (int) LEASES.getAndAdd((Block) this, -OFFERED);
  }

  /// Gives an offered block to the caller alone, until [#unclaim]; a lease is refused meanwhile. So
  /// it may be written in place although other threads can find it.
  ///
  /// @return false when it is not offered, there are other holders, or it is claimed
  protected final boolean tryClaim() {
    return LEASES.compareAndSet((Block) this, OFFERED + 1, CLAIMED);
  }

  /// As [#tryClaim], by the holder of a block that is not offered.
  protected final boolean tryClaimOwn() {
    return LEASES.compareAndSet((Block) this, 1, CLAIMED);
  }

  /// Ends a claim. One lease is there again.
  ///
  /// @param offered whether the block is offered from now on
  protected final void unclaim(boolean offered) {
    LEASES.setRelease((Block) this, offered ? OFFERED + 1 : 1);
  }

  /// Puts a free block into use again, with one lease.
  protected final void revive() {
    LEASES.setRelease((Block) this, 1);
  }
}
