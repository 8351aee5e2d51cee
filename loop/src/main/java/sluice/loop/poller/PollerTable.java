package sluice.loop.poller;

import java.util.Arrays;
import sluice.sys.PollFds;

/// The table of a [Poller]'s entries, and the list of entries that have changed since the last
/// wait. Used under the poller's lock.
///
/// ```
///  bit 63                32 31                0
///      +-------------------+-------------------+
///      |    generation     |       slot        |   a handle
///      +-------------------+-------------------+
/// ```
///
/// An entry keeps its slot from its addition to its removal, even if it is disabled and enabled in
/// between. The next entry in the same slot has another generation, so that an old handle is
/// invalid.
final class PollerTable {
  /// The events that `poll(2)` reports even if they are not requested.
  static final int ALWAYS = PollFds.POLLERR | PollFds.POLLHUP;

  /// The bit of [Poller#AUTO_DISABLE].
  static final int AUTO_DISABLE = 1 << 30;

  private static final int USED = 1;
  private static final int ENABLED = 1 << 1;
  private static final int AUTO = 1 << 2;

  /// The descriptor was closed while it was registered, and the entry has yet to be removed.
  private static final int DEAD = 1 << 3;

  /// The slot is in the list of changes.
  private static final int CHANGED = 1 << 4;

  private final int maxEntries;
  private final PollerNumbers numbers = new PollerNumbers();
  private int[] descriptors;
  private int[] generations;
  private int[] events;
  private int[] flags;

  /// The slots that have been used and are free.
  private int[] free;

  private int freeCount;
  private int[] changed;
  private int changedCount;

  /// The lowest slot that has never been used. All higher slots are unused as well.
  private int high;

  private int size;

  PollerTable(int maxEntries) {
    this.maxEntries = maxEntries;
    int capacity = Math.min(64, maxEntries);
    descriptors = new int[capacity];
    generations = new int[capacity];
    events = new int[capacity];
    flags = new int[capacity];
    free = new int[capacity];
    changed = new int[capacity];
  }

  int maxEntries() {
    return maxEntries;
  }

  int size() {
    return size;
  }

  /// Returns an exclusive upper bound on the slots that are or were in use.
  int high() {
    return high;
  }

  /// Returns the number of slots that are allocated. [#take] increases it.
  int capacity() {
    return descriptors.length;
  }

  boolean isFull() {
    return size == maxEntries;
  }

  /// Returns the slot of a descriptor, or -1 if there is none.
  int slotOf(int fd) {
    return numbers.slot(fd);
  }

  /// Returns the slot to which a handle refers, or -1 if there is none.
  int slot(long handle) {
    int slot = (int) handle;
    return handle > 0 && slot >= 0 && slot < high && handle(slot) == handle ? slot : -1;
  }

  /// Returns the handle of the entry in a slot, or 0 if there is none.
  long handle(int slot) {
    return has(slot, USED) ? (long) generations[slot] << 32 | slot : 0;
  }

  /// Allocates a slot for a descriptor. The table must not be full, and the descriptor must not be
  /// registered already.
  int take(int fd, int wanted) {
    int slot = freeCount > 0 ? free[--freeCount] : high++;
    if (slot == descriptors.length) {
      grow();
    }
    size++;
    numbers.put(fd, slot);
    descriptors[slot] = fd;
    generations[slot] = Math.max(1, (generations[slot] + 1) & Integer.MAX_VALUE);
    flags[slot] = (flags[slot] & CHANGED) | USED | ENABLED;
    want(slot, wanted);
    return slot;
  }

  private void grow() {
    int capacity = Math.min(2 * descriptors.length, maxEntries);
    descriptors = Arrays.copyOf(descriptors, capacity);
    generations = Arrays.copyOf(generations, capacity);
    events = Arrays.copyOf(events, capacity);
    flags = Arrays.copyOf(flags, capacity);
    free = Arrays.copyOf(free, capacity);
    changed = Arrays.copyOf(changed, capacity);
  }

  void give(int slot) {
    size--;
    numbers.remove(descriptors[slot]);
    flags[slot] &= CHANGED;
    free[freeCount++] = slot;
  }

  /// Sets the interest, which may include [Poller#AUTO_DISABLE].
  void want(int slot, int wanted) {
    events[slot] = wanted & ~AUTO_DISABLE;
    auto(slot, (wanted & AUTO_DISABLE) != 0);
  }

  int wanted(int slot) {
    return has(slot, AUTO) ? events[slot] | AUTO_DISABLE : events[slot];
  }

  void enable(int slot, boolean enabled) {
    flags[slot] = enabled ? flags[slot] | ENABLED : flags[slot] & ~ENABLED;
  }

  void auto(int slot, boolean auto) {
    flags[slot] = auto ? flags[slot] | AUTO : flags[slot] & ~AUTO;
  }

  void die(int slot) {
    flags[slot] |= DEAD;
  }

  int descriptor(int slot) {
    return descriptors[slot];
  }

  boolean isEnabled(int slot) {
    return has(slot, ENABLED);
  }

  boolean isAuto(int slot) {
    return has(slot, AUTO);
  }

  /// Returns the events to request from the kernel, or 0 for an entry that is disabled, dead or
  /// removed.
  int interest(int slot) {
    int live = flags[slot] & (USED | ENABLED | DEAD);
    return live == (USED | ENABLED) ? events[slot] | ALWAYS : 0;
  }

  private boolean has(int slot, int flag) {
    return (flags[slot] & flag) != 0;
  }

  /// Adds a slot to the list of changes unless it is already in it.
  void mark(int slot) {
    if (!has(slot, CHANGED)) {
      flags[slot] |= CHANGED;
      changed[changedCount++] = slot;
    }
  }

  /// Removes a slot from the list of changes, in the order of marking.
  ///
  /// @param index 0 for the first, and so on
  /// @return the slot, or -1 if the list is empty
  int changed(int index) {
    if (index >= changedCount) {
      changedCount = 0;
      return -1;
    }
    flags[changed[index]] &= ~CHANGED;
    return changed[index];
  }

  /// Reports those of an entry's events that are requested, and disables an auto-disabled entry.
  ///
  /// @return true if it was reported
  boolean report(int slot, int bits, PollerEvents into) {
    int wanted = bits & interest(slot);
    if (wanted == 0) {
      return false;
    }
    into.add(handle(slot), descriptors[slot], wanted);
    if (has(slot, AUTO)) {
      flags[slot] &= ~ENABLED;
    }
    return true;
  }
}
