package sluice.loop.uring;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Where a [ReceiveArena] has its chunks from: one region in equal chunks, of one arena or of
/// several. The implementation says which threads call.
public interface ChunkStore {
  /// The whole region.
  MemorySegment region();

  /// Chunks of the region.
  int count();

  /// Size of each chunk in bytes.
  int chunkBytes();

  /// A chunk by its number; of a store that several arenas share, a chunk that was taken before.
  RingChunk chunk(int index);

  /// Chunks that an arena may still take by [#take].
  int free();

  /// Takes a chunk for growth.
  ///
  /// @return null when there is none for that
  @Nullable RingChunk take();

  /// Takes a chunk that an arena cannot do without.
  ///
  /// @throws IOException when none is left
  RingChunk need() throws IOException;

  /// Takes a chunk back that neither the kernel nor a receiver uses any more. Any thread.
  void giveBack(RingChunk chunk);

  /// The arena takes no more, and has given back what it had but for chunks that are still leased.
  default void close() {}
}
