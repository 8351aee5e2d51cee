package sluice.fs.journal;

import java.util.Arrays;

/// A map from block numbers to `int` values. An entry requires at most 48 bytes, and 24 more bytes
/// while the map grows. The map is filled by one thread, and may be read by any thread after it is
/// no longer modified.
final class LongIntMap {
  /// The maximum size of an entry in bytes, including the additional memory while the map grows.
  static final int ENTRY_BYTES = 72;

  private static final long FREE = -1;

  private final int most;
  private long[] keys = new long[16];
  private int[] values = new int[16];
  private int size;

  /// Creates an empty map.
  ///
  /// @param most the maximum number of entries
  LongIntMap(int most) {
    this.most = most;
    Arrays.fill(keys, FREE);
  }

  int size() {
    return size;
  }

  /// Returns the value of a block number, or the default value if there is none.
  int getOrDefault(long key, int otherwise) {
    int at = slot(key);
    return keys[at] == key ? values[at] : otherwise;
  }

  boolean contains(long key) {
    return keys[slot(key)] == key;
  }

  /// Sets a value. Returns false if another entry would exceed the maximum.
  boolean put(long key, int value) {
    int at = slot(key);
    if (keys[at] == FREE) {
      if (size == most) {
        return false;
      }
      size++;
      if (size * 2 > keys.length) {
        grow();
        at = slot(key);
      }
    }
    keys[at] = key;
    values[at] = value;
    return true;
  }

  private void grow() {
    long[] oldKeys = keys;
    int[] oldValues = values;
    keys = new long[oldKeys.length * 2];
    values = new int[oldKeys.length * 2];
    Arrays.fill(keys, FREE);
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != FREE) {
        int at = slot(oldKeys[i]);
        keys[at] = oldKeys[i];
        values[at] = oldValues[i];
      }
    }
  }

  /// Returns the slot that contains a key, or the free slot in which it can be stored.
  private int slot(long key) {
    int at = (int) ((key * 0x9E3779B97F4A7C15L) >>> 32) & (keys.length - 1);
    while (keys[at] != FREE && keys[at] != key) {
      at = (at + 1) & (keys.length - 1);
    }
    return at;
  }
}
