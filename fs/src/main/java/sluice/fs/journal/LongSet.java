package sluice.fs.journal;

import java.util.Arrays;

/// A set of non-negative block numbers. This class is not thread-safe, so the owner must
/// synchronize access.
final class LongSet {
  private static final long FREE = -1;
  private static final long GONE = -2;

  private long[] slots = new long[16];
  private int size;

  /// The number of slots that are not [#FREE].
  private int taken;

  LongSet() {
    Arrays.fill(slots, FREE);
  }

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  boolean contains(long value) {
    for (int at = start(value); slots[at] != FREE; at = (at + 1) & (slots.length - 1)) {
      if (slots[at] == value) {
        return true;
      }
    }
    return false;
  }

  /// Adds a value. Returns false if the value was already present.
  boolean add(long value) {
    if (contains(value)) {
      return false;
    }
    if ((taken + 1) * 2 > slots.length) {
      rehash();
    }
    int at = start(value);
    while (slots[at] >= 0) {
      at = (at + 1) & (slots.length - 1);
    }
    if (slots[at] == FREE) {
      taken++;
    }
    slots[at] = value;
    size++;
    return true;
  }

  /// Removes a value. Returns false if the value was not present.
  boolean remove(long value) {
    for (int at = start(value); slots[at] != FREE; at = (at + 1) & (slots.length - 1)) {
      if (slots[at] == value) {
        slots[at] = GONE;
        size--;
        return true;
      }
    }
    return false;
  }

  /// Returns the values in ascending order.
  long[] toArray() {
    long[] values = new long[size];
    int count = 0;
    for (long slot : slots) {
      if (slot >= 0) {
        values[count++] = slot;
      }
    }
    Arrays.sort(values);
    return values;
  }

  private void rehash() {
    long[] values = toArray();
    slots = new long[Math.max(16, Integer.highestOneBit(values.length + 1) * 4)];
    Arrays.fill(slots, FREE);
    size = 0;
    taken = 0;
    for (long value : values) {
      add(value);
    }
  }

  private int start(long value) {
    return (int) ((value * 0x9E3779B97F4A7C15L) >>> 40) & (slots.length - 1);
  }
}
