package sluice.testkit.sim;

import java.lang.foreign.MemorySegment;
import sluice.loop.engine.ChunkPool;

/// The receive arena of a simulated engine: chunks are given out in random order and poisoned when
/// they come back. Owned by the engine's thread.
///
/// The poison shows reads of a chunk that was given back, and is checked for writes to it.
final class SimArena extends ChunkPool {
  private static final byte POISON = (byte) 0xdb;

  private final SimEngine engine;
  private final MemorySegment poison;
  private final int[] freeChunks;
  private int freeCount;

  SimArena(SimEngine engine, int count, int chunkBytes) {
    super(count, chunkBytes);
    this.engine = engine;
    this.poison = MemorySegment.ofArray(new byte[chunkBytes]).fill(POISON);
    this.freeChunks = new int[count];
    segment().fill(POISON);
    for (int chunk = 0; chunk < count; chunk++) {
      freeChunks[freeCount++] = chunk;
    }
  }

  /// Takes a free chunk, for the kernel to fill.
  ///
  /// @return -1 when there is none
  int take() {
    if (freeCount == 0) {
      return -1;
    }
    int slot = engine.random().below(freeCount);
    int chunk = freeChunks[slot];
    freeChunks[slot] = freeChunks[--freeCount];
    long from = offset(chunk);
    long change =
        MemorySegment.mismatch(segment(), from, from + chunkBytes(), poison, 0, poison.byteSize());
    if (change >= 0) {
      throw engine.violation("chunk " + chunk + " was written after it was given back");
    }
    lend(chunk);
    return chunk;
  }

  @Override
  protected void onFree(int chunk) {
    engine.chunkGivenBack(chunk);
    segment().asSlice(offset(chunk), chunkBytes()).fill(POISON);
    freeChunks[freeCount++] = chunk;
  }
}
