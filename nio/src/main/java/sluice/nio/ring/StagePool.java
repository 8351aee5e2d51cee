package sluice.nio.ring;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import sluice.loop.uring.RingChunk;
import sluice.nio.channels.StreamPort;

/// A pool of places in which written bytes wait for the next turn of one ring. Any thread takes and
/// returns them.
///
/// Places are cut from pieces of [RingMemory] as they are needed. Streams outlive their ring, and
/// may still have bytes to send: the pieces are returned when the ring is closed and the last place
/// has been returned.
///
/// Limits: 960 places of 4 KiB; a writer that finds none sends at once.
final class StagePool {
  static final int BYTES = StreamPort.STAGE_BYTES;

  /// The distance of two places, an odd number of cache lines: with multiples of a power of two,
  /// all places would map to the same few sets of the caches.
  private static final int STRIDE = BYTES + 64;

  private static final int PER_PIECE = RingMemory.PIECE_BYTES / STRIDE;
  private static final int MAX_PIECES = 64;

  private final List<RingChunk> pieces = new ArrayList<>();

  /// The offsets of the free places, with the one to take next at the end.
  private int[] free = {};

  private int count;
  private int out;
  private boolean closed;

  /// Takes a place.
  ///
  /// @return its offset in the region, or -1
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

  /// Closes the pool with its ring: no place is handed out any more.
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
