package sluice.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import sluice.loop.ChunkPool;
import sluice.sys.BufferRing;
import sluice.sys.IoUring;

/// The chunks that one ring receives into. A ring's turn shows and takes them; any thread may give
/// back the chunk it has read.
///
/// The kernel takes chunks in the order in which it was shown them. It is shown a few more than one
/// turn fills, those that were read last first, so that the same few stay in the caches. No thread
/// owns the pool: even the ring's own thread gives back by way of the pool's list, since another
/// thread may be taking the ring away.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `cold`, `coldCount`, `shown`, `target` | whoever holds the ring's turn lock | plain | plain |
final class RingArena extends ChunkPool {
  /// 65 MiB of address space; small messages touch a page of each chunk.
  static final int CHUNKS = 4096;

  /// Room for a TLS record. No power of two, whose multiples would all lie in the same few sets of
  /// the caches: an odd number of lines.
  static final int CHUNK_BYTES = (16 << 10) + 320;

  static final int GROUP = 1;

  private static final int FIRST_TARGET = 16;

  private final BufferRing buffers;
  private final ByteBuffer bytes = segment().asByteBuffer();

  /// Chunks that are free and not shown, the one to show next at the end.
  private final int[] cold = new int[CHUNKS];

  private int coldCount;
  private int shown;
  private int target = FIRST_TARGET;

  RingArena(IoUring ring) throws IOException {
    super(CHUNKS, CHUNK_BYTES);
    buffers = ring.registerBufferRing(GROUP, segment(), CHUNKS, CHUNK_BYTES);
    for (int chunk = CHUNKS - 1; chunk >= 0; chunk--) {
      cold[coldCount++] = chunk;
    }
    publish();
  }

  /// All chunks one after the other. Position and limit are nobody's: absolute access only.
  ByteBuffer bytes() {
    return bytes;
  }

  @Override
  protected void onFree(int chunk) {
    cold[coldCount++] = chunk;
  }

  /// Takes a chunk that the kernel has filled, with one lease.
  void taken(int chunk) {
    shown--;
    lend(chunk);
  }

  /// Takes back what was read, and shows the kernel as many chunks as it may need next.
  void publish() {
    reclaim();
    if (shown < target / 8) { // the last crossing has used nearly all of them, or all
      target = Math.min(CHUNKS, shown == 0 ? 2 * target : target + target / 4);
    }
    if (shown == target || coldCount == 0) {
      return;
    }
    while (shown < target && coldCount > 0) {
      buffers.add(cold[--coldCount]);
      shown++;
    }
    buffers.commit();
  }

  /// Whether the kernel has a chunk, or can be shown one.
  boolean hasFree() {
    return shown > 0 || coldCount > 0;
  }

  /// Whether so few chunks are free that nobody may keep one.
  boolean isLow() {
    return free() < CHUNKS / 4;
  }
}
