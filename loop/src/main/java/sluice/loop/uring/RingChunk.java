package sluice.loop.uring;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import sluice.memory.block.PooledBlock;

/// A chunk of memory that a ring receives into, piece behind piece. The thread that its
/// [ChunkStore] and its [ReceiveArena] name calls; leases are for any thread.
///
/// While the kernel has it and has put nothing in, it has no lease. Then each piece has one, its
/// receiver's, and the kernel has one until it is done with the chunk. The fields are those of the
/// arena's owner, except that `next` is written by the thread that ends the last lease.
public final class RingChunk extends PooledBlock {
  /// Of the region.
  public final int index;

  /// The next one on a list.
  @Nullable RingChunk next;

  private @Nullable ReceiveArena arena;
  private int filled;

  /// @param bytes its part of the store's region
  public RingChunk(int index, MemorySegment bytes) {
    super(bytes, 0);
    this.index = index;
  }

  /// Belongs to an arena from now on, or to none.
  public void own(@Nullable ReceiveArena owner) {
    arena = owner;
    filled = 0;
  }

  /// Whether the kernel has put nothing in.
  boolean isEmpty() {
    return filled == 0;
  }

  /// The kernel has filled a further piece, on which the caller has a lease now.
  ///
  /// @param more whether the kernel goes on with the chunk
  /// @return where the piece begins
  public int fill(int length, boolean more) {
    int at = filled;
    filled = at + length;
    if (at == 0) {
      revive();
    }
    if (more) {
      lease(); // else the kernel's own goes with the last piece
    }
    return at;
  }

  /// Has no lease and no piece any more.
  void empty() {
    filled = 0;
  }

  @Override
  protected void free() {
    ReceiveArena owner = arena;
    if (owner != null) {
      owner.giveBack(this);
    }
  }
}
