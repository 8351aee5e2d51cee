package sluice.net.port;

/// The free frames of a port. Owned by the port's thread.
///
/// A frame that is given back twice would be in two packets at once: that is found, and thrown.
public final class FramePool {
  private final long base;
  private final int shift;
  private final long[] free;
  private final boolean[] isFree;
  private int count;

  /// All frames are free.
  ///
  /// @param base where the first one begins, a multiple of `frameBytes`
  /// @param frameBytes a power of two
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

  public int available() {
    return count;
  }

  /// @return where the frame begins; -1 when there is none
  public long claim() {
    if (count == 0) {
      return -1;
    }
    long frame = free[--count];
    isFree[(int) ((frame - base) >> shift)] = false;
    return frame;
  }

  /// @param place anywhere inside of the frame
  public void release(long place) {
    int index = (int) ((place - base) >> shift);
    if (isFree[index]) {
      throw new IllegalStateException("frame " + index + " was given back twice");
    }
    isFree[index] = true;
    free[count++] = base + ((long) index << shift);
  }
}
