package sluice.loop.uring;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import sluice.memory.block.PooledBlock;

/// A chunk of memory that a ring receives into, one piece after the other. Called by the threads
/// documented in its [ChunkStore] and [ReceiveArena]; any thread may hold leases.
///
/// A chunk that the kernel has and has not begun to fill has no lease. Then each piece has a lease,
/// its receiver's, and the kernel has one until it is done with the chunk. The fields belong to the
/// arena's owner, except that `next` is written by the thread that ends the last lease.
public final class RingChunk extends PooledBlock {
  /// The index in the region.
  public final int index;

  /// The next chunk on a list.
  @Nullable RingChunk next;

  private @Nullable ReceiveArena arena;
  private int filled;

  /// @param bytes the chunk's part of the store's region
  public RingChunk(int index, MemorySegment bytes) {
    super(bytes, 0);
    this.index = index;
  }

  /// Sets the arena that the chunk belongs to from now on, or null.
  public void own(@Nullable ReceiveArena owner) {
    arena = owner;
    filled = 0;
  }

  /// Returns true if the kernel has not begun to fill it.
  boolean isEmpty() {
    return filled == 0;
  }

  /// Records that the kernel has filled a further piece, on which the caller now has a lease.
  ///
  /// @param more true if the kernel continues with the chunk
  /// @return the offset at which the piece begins
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

  /// Resets a chunk that has no lease and no piece any more.
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
