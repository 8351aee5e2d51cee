package sluice.net.xdp;

import java.lang.foreign.MemorySegment;
import sluice.net.port.FramePool;

/// Puts a packet together that came in several buffers. Owned by the port's thread.
final class Gather {
  private final MemorySegment memory;
  private final FramePool pool;
  private final int most;
  private boolean begun;
  private boolean whole;
  private long frame;
  private int bytes;

  /// @param memory has the buffers and the frames
  /// @param pool frames to put packets into, each of `most` bytes
  Gather(MemorySegment memory, FramePool pool, int most) {
    this.memory = memory;
    this.pool = pool;
    this.most = most;
  }

  /// Whether buffers of a packet have come, and not its last.
  boolean isOpen() {
    return begun;
  }

  /// Adds a buffer; a buffer that does not fit, or finds no frame, spoils the packet.
  void add(long at, int length) {
    if (!begun) {
      begun = true;
      frame = pool.claim();
      whole = frame >= 0;
      bytes = 0;
    }
    if (whole && length <= most - bytes) {
      MemorySegment.copy(memory, at, memory, frame + bytes, length);
      bytes += length;
    } else {
      spoil();
    }
  }

  /// Drops the packet, of which more may come.
  void spoil() {
    if (begun && whole) {
      pool.release(frame);
    }
    begun = true;
    whole = false;
  }

  /// The last buffer was added.
  ///
  /// @return the frame, which is the caller's, with [#bytes] in it; -1 when the packet was spoiled
  long end() {
    begun = false;
    return whole ? frame : -1;
  }

  int bytes() {
    return bytes;
  }
}
