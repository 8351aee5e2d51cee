package sluice.nio.ring;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import sluice.memory.block.PooledBlock;

/// A piece of the memory of rings. The class that took it from [RingMemory] says which threads
/// call; leases are for any thread.
///
/// While a ring receives into it the ring has a lease, and each stream one for each part that it
/// has not read. The fields belong to the holder of that ring's turn lock, except that `next` is
/// written by the thread that ends the last lease.
final class RingPiece extends PooledBlock {
  final int index;

  /// Where it begins in the region.
  final int start;

  /// The next one on a list.
  @Nullable RingPiece next;

  private @Nullable RingArena arena;
  private int filled;

  RingPiece(int index, MemorySegment bytes) {
    super(bytes, 0);
    this.index = index;
    this.start = index * RingMemory.PIECE_BYTES;
  }

  /// Belongs to an arena from now on, or to none.
  void own(@Nullable RingArena owner) {
    arena = owner;
  }

  /// Is about to be given to the kernel, with one lease.
  void show() {
    filled = 0;
    revive();
  }

  /// Whether the kernel has put nothing in.
  boolean isEmpty() {
    return filled == 0;
  }

  /// The kernel has filled a further part.
  ///
  /// @return where it begins in the region
  int fill(int length) {
    int at = start + filled;
    filled += length;
    return at;
  }

  @Override
  protected void free() {
    RingArena owner = arena;
    if (owner != null) {
      owner.giveBack(this);
    }
  }
}
