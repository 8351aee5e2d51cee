package sluice.loop.poller;

import java.util.Objects;

/// The events reported by one [Poller#await]. Each call refills them without allocating memory.
/// Owned by the waiting thread until it passes them on.
public final class PollerEvents {
  private final long[] handles;
  private final int[] descriptors;
  private final int[] events;
  private int count;

  /// @param capacity the maximum number of events of one wait, at least 1
  public PollerEvents(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity must be at least 1: " + capacity);
    }
    handles = new long[capacity];
    descriptors = new int[capacity];
    events = new int[capacity];
  }

  /// Returns the maximum number of events of one wait.
  public int capacity() {
    return handles.length;
  }

  /// Returns the number of events reported by the last wait.
  public int count() {
    return count;
  }

  /// Returns the handle of the entry, as assigned by [Poller#add].
  ///
  /// @param index 0 ≤ index < [#count]
  public long handle(int index) {
    return handles[Objects.checkIndex(index, count)];
  }

  /// Returns the entry's descriptor.
  public int descriptor(int index) {
    return descriptors[Objects.checkIndex(index, count)];
  }

  /// Returns the `poll(2)` bits. These are the requested events that are set, and [Poller#ERR] and
  /// [Poller#HUP] in any case.
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
