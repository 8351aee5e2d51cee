package sluice.loop.uring;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A source of chunks for a [ReceiveArena]: one region of equal chunks, for one arena or several.
/// The implementation documents which threads call.
public interface ChunkStore {
  /// Returns the memory of the whole region.
  MemorySegment region();

  /// Returns the number of chunks of the region.
  int count();

  /// Returns the size of each chunk in bytes.
  int chunkBytes();

  /// Returns a chunk by its number. In a store shared by several arenas the chunk must have been
  /// taken before.
  RingChunk chunk(int index);

  /// Returns the number of chunks that an arena may still take by [#take].
  int free();

  /// Takes a chunk for growth.
  ///
  /// @return null if none is available for growth
  @Nullable RingChunk take();

  /// Takes a chunk that an arena cannot do without.
  ///
  /// @throws IOException if none is left
  RingChunk need() throws IOException;

  /// Takes back a chunk that neither the kernel nor a receiver uses any more. Any thread may call.
  void giveBack(RingChunk chunk);

  /// Ends the arena's use of the store. The arena has given back its chunks except those that are
  /// still leased.
  default void close() {}
}
