package sluice.loop.engine;

import java.lang.foreign.MemorySegment;
import sluice.memory.block.Block;

/// The shared receive arena of an engine. It is a region of equally sized chunks that is registered
/// with the kernel as provided buffers. The kernel (or the engine) fills a chunk, a completion
/// identifies it, and the loop returns it.
///
/// Each chunk is a [Block]. A completion delivers a *segment* of a chunk. The segment may begin
/// anywhere in the chunk, and several disjoint segments may share a chunk. Each segment has its own
/// lease, which belongs to the receiver, and its bytes are not overwritten until this lease is
/// released. An engine that may still fill the rest of a chunk also holds a lease on it. When the
/// last lease is released, the chunk returns to the engine: immediately on the loop's thread,
/// otherwise through [#reclaim].
public interface ChunkArena {
  /// Returns the number of chunks, which is a power of two and at most 32 768.
  int count();

  /// Returns the size of each chunk in bytes.
  int chunkBytes();

  /// Returns the memory of the whole region.
  MemorySegment segment();

  /// Returns the offset of a chunk in the region.
  default long offset(int chunk) {
    return (long) chunk * chunkBytes();
  }

  /// Returns the offset of a received segment in the region.
  ///
  /// @param flags the flags of its completion
  default long begin(long flags) {
    return offset(Completion.chunk(flags)) + Completion.offset(flags);
  }

  /// Returns the chunk as a block, on which the receiver of a segment holds one lease.
  Block block(int chunk);

  /// Returns true if the given block is a chunk of this arena or a part of one.
  default boolean holds(Block block) {
    long at = block.segment().address() - segment().address();
    return at >= 0 && at < segment().byteSize();
  }

  /// Returns the number of chunks of which no receiver holds a segment. If it is 0, receives fail
  /// with -ENOBUFS once the chunk that the engine may continue to fill is full. This may also
  /// happen while chunks are free if a turn delivers more than the engine had expected. The
  /// receives continue once they are armed again.
  int free();

  /// Makes chunks that were released by other threads available again. Called once per turn by the
  /// engine's owner.
  void reclaim();
}
