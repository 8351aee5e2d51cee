package sluice.loop.uring;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.ChunkPool;
import sluice.memory.block.Block;

/// The contiguous chunks of one engine. All methods are called by the engine's owner, but any
/// thread may return chunks.
///
/// Lifecycle: opened with all chunks → closed by the engine after the kernel has released it.
/// Chunks that are leased then keep the memory allocated, and it is freed with the last of them.
final class OwnChunks implements ChunkStore {
  private final Block memory;
  private final int chunkBytes;
  private final RingChunk[] chunks;

  /// The chunks that are not in use by the arena, with the next one to allocate at the end; guarded
  /// by the lock.
  private final int[] stack;

  /// The number of chunks on the stack. Written under the lock.
  private volatile int free;

  private boolean closed;

  OwnChunks(int count, int chunkBytes) {
    this.memory = ChunkPool.allocate((long) count * chunkBytes);
    this.chunkBytes = chunkBytes;
    this.chunks = new RingChunk[count];
    this.stack = new int[count];
    for (int i = 0; i < count; i++) {
      chunks[i] = new RingChunk(i, memory.segment().asSlice((long) i * chunkBytes, chunkBytes));
      stack[count - 1 - i] = i;
    }
    this.free = count;
  }

  @Override
  public MemorySegment region() {
    return memory.segment();
  }

  @Override
  public int count() {
    return chunks.length;
  }

  @Override
  public int chunkBytes() {
    return chunkBytes;
  }

  @Override
  public RingChunk chunk(int index) {
    return chunks[index];
  }

  @Override
  public int free() {
    return free;
  }

  @Override
  public synchronized @Nullable RingChunk take() {
    int left = free - 1;
    if (left < 0) {
      return null;
    }
    free = left;
    return chunks[stack[left]];
  }

  @Override
  public RingChunk need() throws IOException {
    RingChunk first = take();
    if (first == null) {
      throw new IOException("the arena of this engine is in use"); // it takes this one first
    }
    return first;
  }

  @Override
  public synchronized void giveBack(RingChunk chunk) {
    int before = free;
    stack[before] = chunk.index;
    free = before + 1;
    freeWhenHome();
  }

  @Override
  public synchronized void close() {
    closed = true;
    freeWhenHome();
  }

  private void freeWhenHome() {
    if (closed && free == chunks.length) {
      memory.release();
    }
  }
}
