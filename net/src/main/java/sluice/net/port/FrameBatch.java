package sluice.net.port;

/// A batch of received frames. Owned by the thread of its port.
public final class FrameBatch {
  private final long[] places;
  private final int[] lengths;
  private int count;

  public FrameBatch(int capacity) {
    places = new long[capacity];
    lengths = new int[capacity];
  }

  public int count() {
    return count;
  }

  public boolean isFull() {
    return count == places.length;
  }

  /// Returns the position of a frame in the memory of its port.
  public long place(int index) {
    return places[index];
  }

  public int length(int index) {
    return lengths[index];
  }

  /// Adds a frame. The caller has checked [#isFull].
  public void add(long place, int length) {
    places[count] = place;
    lengths[count++] = length;
  }

  public void clear() {
    count = 0;
  }
}
