package sluice.nio.ring;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import sluice.loop.uring.RingChunk;
import sluice.nio.channels.StreamPort;

/// A pool of buffers in which written bytes are staged for the next turn of one ring. Any thread
/// may allocate and release them.
///
/// Buffers are carved out of chunks of [RingMemory] as needed. Since streams outlive their ring and
/// may still have bytes to send, the chunks are released after the ring has been closed and the
/// last buffer has been released.
///
/// Limits: 960 buffers of 4 KiB. If none is free, the writer sends immediately.
final class StagePool {
  static final int BYTES = StreamPort.STAGE_BYTES;

  /// The distance between two buffers, which is an odd number of cache lines. If it were a multiple
  /// of a power of two, all buffers would map to the same few sets of the CPU caches.
  private static final int STRIDE = BYTES + 64;

  private static final int PER_PIECE = RingMemory.PIECE_BYTES / STRIDE;
  private static final int MAX_PIECES = 64;

  private final List<RingChunk> pieces = new ArrayList<>();

  /// The offsets of the free buffers, ending with the next one to allocate.
  private int[] free = {};

  private int count;
  private int out;
  private boolean closed;

  /// Allocates a buffer.
  ///
  /// @return the offset of the buffer in the region, or -1 if none is free
  synchronized int take() {
    if (closed || (count == 0 && !grow())) {
      return -1;
    }
    out++;
    return free[--count];
  }

  private boolean grow() {
    RingChunk more = pieces.size() == MAX_PIECES ? null : RingMemory.take();
    if (more == null) {
      return false;
    }
    pieces.add(more);
    free = Arrays.copyOf(free, pieces.size() * PER_PIECE);
    for (int i = PER_PIECE - 1; i >= 0; i--) {
      free[count++] = RingMemory.start(more) + i * STRIDE;
    }
    return true;
  }

  synchronized void giveBack(int place) {
    free[count++] = place;
    out--;
    giveBackPieces();
  }

  /// Closes the pool together with its ring. No buffer is allocated after this call.
  synchronized void close() {
    closed = true;
    giveBackPieces();
  }

  private void giveBackPieces() {
    if (closed && out == 0) {
      pieces.forEach(RingMemory::giveBack);
      pieces.clear();
      count = 0;
    }
  }
}
