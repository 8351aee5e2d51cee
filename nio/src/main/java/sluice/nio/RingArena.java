package sluice.nio;

import java.io.IOException;
import sluice.loop.ChunkPool;
import sluice.sys.BufferRing;
import sluice.sys.IoUring;

/// The chunks that one ring receives into. Owned by the ring's thread; any thread may give back the
/// chunk it has read.
final class RingArena extends ChunkPool {
  /// 16 MiB of address space; small messages touch a page of each chunk.
  static final int CHUNKS = 1024;

  static final int CHUNK_BYTES = 16 << 10;
  static final int GROUP = 1;

  private final BufferRing buffers;
  private boolean unpublished;

  RingArena(IoUring ring) throws IOException {
    super(CHUNKS, CHUNK_BYTES);
    own(Thread.currentThread());
    buffers = ring.registerBufferRing(GROUP, segment(), CHUNKS, CHUNK_BYTES);
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
      buffers.add(chunk);
    }
    buffers.commit();
  }

  @Override
  protected void onFree(int chunk) {
    buffers.add(chunk);
    unpublished = true;
  }

  /// Shows the kernel the chunks that came back.
  void publish() {
    reclaim();
    if (unpublished) {
      unpublished = false;
      buffers.commit();
    }
  }

  /// Whether so few chunks are free that nobody may keep one.
  boolean isLow() {
    return free() < CHUNKS / 4;
  }
}
