package sluice.loop.poller;

import java.util.Objects;

/// The events reported by one [Poller#await]; refilled by each call without allocation. Owned by
/// the awaiting thread, until it passes them on.
public final class PollerEvents {
  private final long[] handles;
  private final int[] descriptors;
  private final int[] events;
  private int count;

  /// @param capacity the most events of one wait, at least 1
  public PollerEvents(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity must be at least 1: " + capacity);
    }
    handles = new long[capacity];
    descriptors = new int[capacity];
    events = new int[capacity];
  }

  /// Returns the most events of one wait.
  public int capacity() {
    return handles.length;
  }

  /// Returns the number of events of the last wait.
  public int count() {
    return count;
  }

  /// Returns the handle of the entry, as [Poller#add] returned it.
  ///
  /// @param index 0 ≤ index < [#count]
  public long handle(int index) {
    return handles[Objects.checkIndex(index, count)];
  }

  /// Returns the entry's descriptor.
  public int descriptor(int index) {
    return descriptors[Objects.checkIndex(index, count)];
  }

  /// Returns the `poll(2)` bits: the requested events that are set, and [Poller#ERR] and
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
