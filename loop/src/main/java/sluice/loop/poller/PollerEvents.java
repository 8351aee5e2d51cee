package sluice.loop.poller;

import java.util.Objects;

/// What one [Poller#await] reported; filled again by each call without allocation. Belongs to the
/// thread that awaits, until it hands it on.
public final class PollerEvents {
  private final long[] handles;
  private final int[] descriptors;
  private final int[] events;
  private int count;

  /// @param capacity most events of one wait, at least 1
  public PollerEvents(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity must be at least 1: " + capacity);
    }
    handles = new long[capacity];
    descriptors = new int[capacity];
    events = new int[capacity];
  }

  /// Most events of one wait.
  public int capacity() {
    return handles.length;
  }

  /// Events of the last wait.
  public int count() {
    return count;
  }

  /// The entry, as [Poller#add] returned it.
  ///
  /// @param index 0 ≤ index < [#count]
  public long handle(int index) {
    return handles[Objects.checkIndex(index, count)];
  }

  /// The entry's descriptor.
  public int descriptor(int index) {
    return descriptors[Objects.checkIndex(index, count)];
  }

  /// `poll(2)` bits: what was asked for and is so, and [Poller#ERR] and [Poller#HUP] in any case.
  public int events(int index) {
    return events[Objects.checkIndex(index, count)];
  }

  void clear() {
    count = 0;
  }

  void add(long handle, int descriptor, int bits) {
    handles[count] = handle;
    descriptors[count] = descriptor;
    events[count++] = bits;
  }
}
