package sluice.net.port;

/// The free frames of a port. Owned by the port's thread.
///
/// Releasing a frame twice would put two packets into it; the pool detects that and throws.
public final class FramePool {
  private final long base;
  private final int shift;
  private final long[] free;
  private final boolean[] isFree;
  private int count;

  /// Creates a pool of free frames.
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

  /// Takes a free frame.
  ///
  /// @return the position of the frame; -1 if none is free
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
  /// @param place any position in the frame
  /// @throws IllegalStateException if the frame is free already
  public void release(long place) {
    int index = (int) ((place - base) >> shift);
    if (isFree[index]) {
      throw new IllegalStateException("frame " + index + " was given back twice");
    }
    isFree[index] = true;
    free[count++] = base + ((long) index << shift);
  }
}
