package sluice.loop.engine;

import java.lang.foreign.MemorySegment;
import sluice.memory.block.Block;

/// The shared arena: one region in equal chunks, published to the kernel as provided buffers. The
/// kernel (or the engine) fills a chunk, a completion names it, the loop gives it back.
///
/// Each chunk is a [Block]. What a completion brings is a *piece* of one: it may begin anywhere in
/// the chunk, and a chunk may have several, which lie apart from each other. Each piece comes with
/// a lease of its own, the receiver's, and is written by nothing else until this ends. An engine
/// that may still fill the rest of a chunk has a lease on it too. When the last lease ends the
/// chunk returns to the engine, at once on the loop's thread, otherwise by way of [#reclaim].
public interface ChunkArena {
  /// Number of chunks, a power of two, at most 32 768.
  int count();

  /// Size of each chunk in bytes.
  int chunkBytes();

  /// The whole region.
  MemorySegment segment();

  /// Where a chunk begins in the region.
  default long offset(int chunk) {
    return (long) chunk * chunkBytes();
  }

  /// Where in the region a received piece begins.
  ///
  /// @param flags of its completion
  default long begin(long flags) {
    return offset(Completion.chunk(flags)) + Completion.offset(flags);
  }

  /// The chunk as a block: the receiver of a piece holds one lease.
  Block block(int chunk);

  /// Whether a block is a chunk of this arena, or a part of one.
  default boolean holds(Block block) {
    long at = block.segment().address() - segment().address();
    return at >= 0 && at < segment().byteSize();
  }

  /// Chunks of which no receiver holds a piece. With 0, receives end with -ENOBUFS once the chunk
  /// that the engine may go on filling is full; with more they may do so when a turn brings more
  /// than the engine had expected, and go on once armed again.
  int free();

  /// Makes chunks that other threads released available again. The engine's owner calls it once a
  /// turn.
  void reclaim();
}
