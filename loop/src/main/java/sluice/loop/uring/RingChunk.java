package sluice.loop.uring;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import sluice.memory.block.PooledBlock;

/// A chunk of memory into which a ring receives successive segments. Called by the threads
/// documented in its [ChunkStore] and [ReceiveArena]. Any thread may hold leases.
///
/// A chunk that the kernel owns and has not begun to fill has no lease. After that, the receiver of
/// each segment holds a lease, and the kernel holds one until it has finished with the chunk. The
/// fields belong to the arena's owner, except that `next` is written by the thread that releases
/// the last lease.
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

  /// Sets the arena to which the chunk belongs from now on, or null for none.
  public void own(@Nullable ReceiveArena owner) {
    arena = owner;
    filled = 0;
  }

  /// Returns true if the kernel has not begun to fill this chunk.
  boolean isEmpty() {
    return filled == 0;
  }

  /// Records that the kernel has filled another segment, on which the caller now holds a lease.
  ///
  /// @param more true if the kernel continues with the chunk
  /// @return the offset at which the segment begins
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

  /// Resets a chunk that no longer has a lease or a segment.
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
