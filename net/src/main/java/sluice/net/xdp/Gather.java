package sluice.net.xdp;

import java.lang.foreign.MemorySegment;
import sluice.net.port.FramePool;

/// Assembles a packet that arrives in several buffers. Instances are owned by the port's thread.
final class Gather {
  private final MemorySegment memory;
  private final FramePool pool;
  private final int most;
  private boolean begun;
  private boolean whole;
  private long frame;
  private int bytes;

  /// Creates an assembler.
  ///
  /// @param memory the memory of the buffers and the frames
  /// @param pool the frames for assembled packets, each of `most` bytes
  /// @param most the maximum length of a packet
  Gather(MemorySegment memory, FramePool pool, int most) {
    this.memory = memory;
    this.pool = pool;
    this.most = most;
  }

  /// Returns true if a packet has been started and is not complete yet.
  boolean isOpen() {
    return begun;
  }

  /// Adds a buffer to the packet. If it does not fit or no frame is free, the packet is dropped.
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

  /// Drops the packet. Its remaining buffers will be ignored.
  void spoil() {
    if (begun && whole) {
      pool.release(frame);
    }
    begun = true;
    whole = false;
  }

  /// Completes the packet after its last buffer.
  ///
  /// @return the frame of the packet, which has a length of [#bytes] and is owned by the caller, or
  ///   -1 if the packet was dropped
  long end() {
    begun = false;
    return whole ? frame : -1;
  }

  int bytes() {
    return bytes;
  }
}
