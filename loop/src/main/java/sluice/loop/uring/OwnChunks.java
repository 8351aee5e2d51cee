package sluice.loop.uring;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import sluice.sys.NativeMemory;

/// The chunks of one engine: a region of its own, of which pages are touched only as chunks are
/// first filled. The engine's owner calls, except that any thread may give back.
///
/// Lifecycle: opened with every chunk → closed by the engine after the kernel has let go of it.
/// Chunks that are leased then keep the region; the last one frees it.
final class OwnChunks implements ChunkStore {
  private static final int ALIGNMENT_BYTES = 4096;

  private final MemorySegment allocation;
  private final MemorySegment region;
  private final int chunkBytes;
  private final RingChunk[] chunks;

  /// Those that the arena does not have, the one to take next at the end; under the lock.
  private final int[] stack;

  /// Written under the lock.
  private volatile int free;

  private boolean closed;

  OwnChunks(int count, int chunkBytes) {
    long bytes = (long) count * chunkBytes;
    this.allocation = NativeMemory.allocate(bytes + ALIGNMENT_BYTES);
    this.region = allocation.asSlice(-allocation.address() & (ALIGNMENT_BYTES - 1), bytes);
    this.chunkBytes = chunkBytes;
    this.chunks = new RingChunk[count];
    this.stack = new int[count];
    for (int i = 0; i < count; i++) {
      chunks[i] = new RingChunk(i, region.asSlice((long) i * chunkBytes, chunkBytes));
      stack[count - 1 - i] = i;
    }
    this.free = count;
  }

  @Override
  public MemorySegment region() {
    return region;
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
      NativeMemory.free(allocation);
    }
  }
}
