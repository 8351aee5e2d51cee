package sluice.loop.uring;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A source of chunks for a [ReceiveArena]. It is a region of equally sized chunks for one or
/// several arenas. The implementation documents the threads that may call.
public interface ChunkStore {
  /// Returns the memory of the whole region.
  MemorySegment region();

  /// Returns the number of chunks in the region.
  int count();

  /// Returns the size of each chunk in bytes.
  int chunkBytes();

  /// Returns the chunk with the given index. If the store is shared by several arenas, the chunk
  /// must have been taken before.
  RingChunk chunk(int index);

  /// Returns the number of chunks that an arena may still allocate with [#take].
  int free();

  /// Allocates a chunk for the growth of an arena.
  ///
  /// @return the chunk, or null if none is available for growth
  @Nullable RingChunk take();

  /// Allocates a chunk that an arena requires.
  ///
  /// @throws IOException if no chunk is left
  RingChunk need() throws IOException;

  /// Returns a chunk that is no longer used by the kernel or a receiver. Any thread may call.
  void giveBack(RingChunk chunk);

  /// Ends the arena's use of the store. The arena has returned its chunks, except for those that
  /// are still leased.
  default void close() {}
}
