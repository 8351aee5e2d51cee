package sluice.nio;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/// Places where written bytes wait for the next turn of one ring. Any thread takes and returns.
///
/// Limits: 1024 places of 4 KiB; whoever finds none sends at once.
final class StagePool {
  static final int BYTES = 4 << 10;

  private static final int COUNT = 1024;

  /// An odd number of cache lines, for the same reason as [RingArena#CHUNK_BYTES].
  private static final int STRIDE = BYTES + 64;

  /// Pages are touched as places are first used; freed when nobody knows the ring any more.
  private final MemorySegment region = Arena.ofAuto().allocate((long) COUNT * STRIDE, 4096);

  private final ByteBuffer bytes = region.asByteBuffer();

  private final int[] free = new int[COUNT];
  private int count;

  StagePool() {
    for (int i = 0; i < COUNT; i++) {
      free[i] = COUNT - 1 - i;
    }
    count = COUNT;
  }

  /// All places.
  MemorySegment region() {
    return region;
  }

  /// The same for absolute access.
  ByteBuffer bytes() {
    return bytes;
  }

  /// @return where a place begins in the region, or -1
  synchronized long take() {
    return count == 0 ? -1 : (long) free[--count] * STRIDE;
  }

  synchronized void giveBack(long offset) {
    free[count++] = (int) (offset / STRIDE);
  }
}
