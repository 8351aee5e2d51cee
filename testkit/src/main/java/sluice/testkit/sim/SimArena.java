package sluice.testkit.sim;

import java.lang.foreign.MemorySegment;
import sluice.loop.engine.ChunkPool;

/// The receive arena of a simulated engine. Chunks are given out in random order and poisoned when
/// they come back. Owned by the engine's thread.
///
/// A piece begins at a random offset in its chunk, as if behind a frame's header. At random, the
/// kernel keeps filling the rest of the chunk, for whichever socket receives next; it then has a
/// lease on the chunk. The poison reveals reads of a chunk that was given back. It is also checked,
/// to find writes to such a chunk and to parts that the kernel has not filled.
final class SimArena extends ChunkPool {
  private static final byte POISON = (byte) 0xdb;
  private static final int NONE = -1;

  private final SimEngine engine;
  private final MemorySegment poison;
  private final int[] freeChunks;
  private int freeCount;

  /// The chunk that the kernel keeps filling, and from where.
  private int begun = NONE;

  private int filled;

  /// The piece that was taken last.
  private int chunk;

  private int begin;
  private int length;

  SimArena(SimEngine engine, int count, int chunkBytes) {
    super(count, chunkBytes);
    this.engine = engine;
    this.poison = MemorySegment.ofArray(new byte[chunkBytes]).fill(POISON);
    this.freeChunks = new int[count];
    segment().fill(POISON);
    for (int i = 0; i < count; i++) {
      freeChunks[freeCount++] = i;
    }
  }

  /// Takes room for a piece for the kernel to fill, with a lease for its receiver.
  ///
  /// @param most the maximum size of the piece in bytes, 1 to the size of a chunk
  /// @param cut true if the rest of a partly filled chunk may be too small; it always may if no
  ///   other chunk is free
  /// @return false if there is no room
  boolean take(int most, boolean cut) {
    int room = begun == NONE ? 0 : chunkBytes() - filled;
    if (room > 0 && (room >= most || cut || freeCount == 0)) {
      length = Math.min(room, most);
      chunk = begun;
      begin = filled + gap(room - length);
      block(chunk).lease();
    } else {
      endBegun();
      if (freeCount == 0) {
        return false;
      }
      length = most;
      int slot = engine.random().below(freeCount);
      chunk = freeChunks[slot];
      freeChunks[slot] = freeChunks[--freeCount];
      begin = gap(chunkBytes() - length);
      lend(chunk);
    }
    checkUntouched();
    keepRest();
    return true;
  }

  private int gap(int most) {
    return engine.random().chance(500) ? engine.random().below(most + 1) : 0;
  }

  private void checkUntouched() {
    long from = offset(chunk) + begin;
    long change = MemorySegment.mismatch(segment(), from, from + length, poison, 0, length);
    if (change >= 0) {
      throw engine.violation("chunk " + chunk + " was written before it was given out");
    }
  }

  /// Decides at random if the kernel keeps the rest of the chunk.
  private void keepRest() {
    boolean open = begin + length < chunkBytes() && engine.random().chance(700);
    if (open && begun != chunk) {
      block(chunk).lease();
    }
    if (open) {
      begun = chunk;
      filled = begin + length;
    } else if (begun == chunk) {
      endBegun();
    }
  }

  /// Ends the filling of the current chunk. Called before [#close].
  void endBegun() {
    if (begun != NONE) {
      int ended = begun;
      begun = NONE;
      block(ended).release();
    }
  }

  /// Returns the chunk of the piece that was taken last.
  int chunk() {
    return chunk;
  }

  int begin() {
    return begin;
  }

  int length() {
    return length;
  }

  @Override
  public int free() {
    return super.free() + (begun != NONE && block(begun).leases() == 1 ? 1 : 0);
  }

  @Override
  protected void onFree(int back) {
    engine.chunkGivenBack(back);
    segment().asSlice(offset(back), chunkBytes()).fill(POISON);
    freeChunks[freeCount++] = back;
  }
}
