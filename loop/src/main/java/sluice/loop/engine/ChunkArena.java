package sluice.loop.engine;

import java.lang.foreign.MemorySegment;
import sluice.memory.block.Block;

/// The shared receive arena of an engine: one region of equal chunks, published to the kernel as
/// provided buffers. The kernel (or the engine) fills a chunk, a completion names it, and the loop
/// gives it back.
///
/// Each chunk is a [Block]. A completion brings a *piece* of a chunk: it may begin anywhere in the
/// chunk, and several disjoint pieces may share one. Each piece comes with its own lease, which
/// belongs to the receiver, and nothing writes to the piece until this lease ends. An engine that
/// may still fill the rest of a chunk also holds a lease on it. When the last lease ends, the chunk
/// returns to the engine: at once on the loop's thread, otherwise through [#reclaim].
public interface ChunkArena {
  /// Returns the number of chunks, a power of two, at most 32 768.
  int count();

  /// Returns the size of each chunk in bytes.
  int chunkBytes();

  /// Returns the memory of the whole region.
  MemorySegment segment();

  /// Returns the offset of a chunk in the region.
  default long offset(int chunk) {
    return (long) chunk * chunkBytes();
  }

  /// Returns the offset of a received piece in the region.
  ///
  /// @param flags the flags of its completion
  default long begin(long flags) {
    return offset(Completion.chunk(flags)) + Completion.offset(flags);
  }

  /// Returns the chunk as a block, on which the receiver of a piece holds one lease.
  Block block(int chunk);

  /// Returns true if a block is a chunk of this arena, or a part of one.
  default boolean holds(Block block) {
    long at = block.segment().address() - segment().address();
    return at >= 0 && at < segment().byteSize();
  }

  /// Returns the number of chunks of which no receiver holds a piece. At 0, receives end with
  /// -ENOBUFS once the chunk that the engine may continue to fill is full. With free chunks they
  /// may also end so if a turn brings more than the engine had expected; they continue once armed
  /// again.
  int free();

  /// Makes chunks that other threads released available again. Called by the engine's owner once
  /// per turn.
  void reclaim();
}
