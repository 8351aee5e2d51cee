package sluice.net.port;

/// A batch of received frames. Instances are owned by the thread of their port.
public final class FrameBatch {
  private final long[] places;
  private final int[] lengths;
  private int count;

  /// Creates an empty batch with a capacity of `capacity` frames.
  public FrameBatch(int capacity) {
    places = new long[capacity];
    lengths = new int[capacity];
  }

  /// Returns the number of frames.
  public int count() {
    return count;
  }

  /// Returns true if no more frames can be added.
  public boolean isFull() {
    return count == places.length;
  }

  /// Returns the position of the frame at the given index in the memory of its port.
  public long place(int index) {
    return places[index];
  }

  /// Returns the length in bytes of the frame at the given index.
  public int length(int index) {
    return lengths[index];
  }

  /// Adds a frame. The caller must have checked that [#isFull] returns false.
  public void add(long place, int length) {
    places[count] = place;
    lengths[count++] = length;
  }

  /// Removes all frames.
  public void clear() {
    count = 0;
  }
}
