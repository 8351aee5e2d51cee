package sluice.net.port;

/// A pool of the free frames of a port. Instances are owned by the port's thread.
///
/// If a frame were released twice, two packets could be stored in it. The pool detects this and
/// throws an exception.
public final class FramePool {
  private final long base;
  private final int shift;
  private final long[] free;
  private final boolean[] isFree;
  private int count;

  /// Creates a pool in which all frames are free.
  ///
  /// @param base the position of the first frame, a multiple of `frameBytes`
  /// @param frames the number of frames
  /// @param frameBytes the size of a frame, a power of two
  public FramePool(long base, int frames, int frameBytes) {
    if (Integer.bitCount(frameBytes) != 1 || base % frameBytes != 0) {
      throw new IllegalArgumentException("frames of " + frameBytes + " bytes at " + base);
    }
    this.base = base;
    this.shift = Integer.numberOfTrailingZeros(frameBytes);
    this.free = new long[frames];
    this.isFree = new boolean[frames];
    for (int i = frames - 1; i >= 0; i--) {
      release(base + ((long) i << shift));
    }
  }

  /// Returns the number of free frames.
  public int available() {
    return count;
  }

  /// Acquires a free frame.
  ///
  /// @return the position of the frame, or -1 if no frame is free
  public long claim() {
    if (count == 0) {
      return -1;
    }
    long frame = free[--count];
    isFree[(int) ((frame - base) >> shift)] = false;
    return frame;
  }

  /// Returns a frame to the pool.
  ///
  /// @param place any position within the frame
  /// @throws IllegalStateException if the frame is already free
  public void release(long place) {
    int index = (int) ((place - base) >> shift);
    if (isFree[index]) {
      throw new IllegalStateException("frame " + index + " was given back twice");
    }
    isFree[index] = true;
    free[count++] = base + ((long) index << shift);
  }
}
