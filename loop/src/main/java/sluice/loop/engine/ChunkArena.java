package sluice.loop.engine;

import java.lang.foreign.MemorySegment;
import sluice.memory.block.Block;

/// The shared arena: one region in equal chunks, published to the kernel as provided buffers. The
/// kernel (or the engine) fills a chunk, a completion names it, the loop gives it back.
///
/// Each chunk is a [Block]. While the kernel may fill it, no other code holds it. A completion
/// hands the loop its one lease; when the last lease ends the chunk returns to the engine, at once
/// on the loop's thread, otherwise by way of [#reclaim].
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

  /// The chunk as a block: its receiver holds one lease.
  Block block(int chunk);

  /// Whether a block is a chunk of this arena, or a part of one.
  default boolean holds(Block block) {
    long at = block.segment().address() - segment().address();
    return at >= 0 && at < segment().byteSize();
  }

  /// Chunks that wait to be filled: 0 means receives end with -ENOBUFS.
  int free();

  /// Makes chunks that other threads released available again. The engine's owner calls it once a
  /// turn.
  void reclaim();
}
