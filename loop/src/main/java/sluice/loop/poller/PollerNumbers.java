package sluice.loop.poller;

import java.util.Arrays;

/// A map from descriptors to slots, implemented as a hash table of ints with open addressing. Used
/// under the poller's lock.
final class PollerNumbers {
  private static final int EMPTY = -1;

  private int[] keys = new int[64];
  private int[] slots = new int[64];
  private int count;

  PollerNumbers() {
    Arrays.fill(keys, EMPTY);
  }

  /// Returns the slot of a descriptor, or -1 if there is none.
  int slot(int fd) {
    if (fd < 0) {
      return -1;
    }
    int at = find(fd);
    return keys[at] == EMPTY ? -1 : slots[at];
  }

  void put(int fd, int slot) {
    if (2 * ++count > keys.length) {
      grow();
    }
    int at = find(fd);
    keys[at] = fd;
    slots[at] = slot;
  }

  /// Removes a descriptor that is present, and moves the following entries so that no gap
  /// interrupts a search.
  void remove(int fd) {
    int hole = find(fd);
    count--;
    int mask = keys.length - 1;
    for (int at = (hole + 1) & mask; keys[at] != EMPTY; at = (at + 1) & mask) {
      int home = home(keys[at]);
      if (((at - home) & mask) >= ((at - hole) & mask)) {
        keys[hole] = keys[at];
        slots[hole] = slots[at];
        hole = at;
      }
    }
    keys[hole] = EMPTY;
  }

  private int find(int fd) {
    int at = home(fd);
    while (keys[at] != EMPTY && keys[at] != fd) {
      at = (at + 1) & (keys.length - 1);
    }
    return at;
  }

  private int home(int fd) {
    return (fd * 0x9e3779b9) >>> (Integer.numberOfLeadingZeros(keys.length) + 1);
  }

  private void grow() {
    int[] oldKeys = keys;
    int[] oldSlots = slots;
    keys = new int[2 * oldKeys.length];
    slots = new int[2 * oldKeys.length];
    Arrays.fill(keys, EMPTY);
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != EMPTY) {
        int at = find(oldKeys[i]);
        keys[at] = oldKeys[i];
        slots[at] = oldSlots[i];
      }
    }
  }
}
