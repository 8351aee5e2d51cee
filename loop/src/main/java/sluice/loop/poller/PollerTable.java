package sluice.loop.poller;

import java.util.Arrays;
import sluice.sys.PollFds;

/// The entries of a [Poller] and the list of those that changed since the last wait. Everything is
/// used under the poller's lock.
///
/// ```
///  bit 63                32 31                0
///      +-------------------+-------------------+
///      |    generation     |       slot        |   a handle
///      +-------------------+-------------------+
/// ```
///
/// An entry keeps its slot from add to remove, whatever is enabled or disabled in between. The next
/// entry in the same slot has another generation, so that an old handle means nothing any more.
final class PollerTable {
  /// What `poll(2)` reports without being asked.
  static final int ALWAYS = PollFds.POLLERR | PollFds.POLLHUP;

  /// [Poller#AUTO_DISABLE].
  static final int AUTO_DISABLE = 1 << 30;

  private static final int USED = 1;
  private static final int ENABLED = 1 << 1;
  private static final int AUTO = 1 << 2;

  /// The descriptor was closed behind our back: the entry waits to be removed.
  private static final int DEAD = 1 << 3;

  /// In the list of changes.
  private static final int CHANGED = 1 << 4;

  private final int maxEntries;
  private final PollerNumbers numbers = new PollerNumbers();
  private int[] descriptors;
  private int[] generations;
  private int[] events;
  private int[] flags;

  /// Slots that were used and are free.
  private int[] free;

  private int freeCount;
  private int[] changed;
  private int changedCount;

  /// Slots from here on were never used.
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

  /// Slots in use or used before are below this.
  int high() {
    return high;
  }

  /// Slots there is room for; grows in [#take].
  int capacity() {
    return descriptors.length;
  }

  boolean isFull() {
    return size == maxEntries;
  }

  /// The slot of a descriptor, or -1.
  int slotOf(int fd) {
    return numbers.slot(fd);
  }

  /// The slot that a handle means, or -1.
  int slot(long handle) {
    int slot = (int) handle;
    return handle > 0 && slot >= 0 && slot < high && handle(slot) == handle ? slot : -1;
  }

  /// The handle of the entry in a slot, or 0 when there is none.
  long handle(int slot) {
    return has(slot, USED) ? (long) generations[slot] << 32 | slot : 0;
  }

  /// A slot for a descriptor; the table is not full and the descriptor no member.
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

  /// Sets the interest, [Poller#AUTO_DISABLE] among it.
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

  /// The events to ask the kernel for: 0 for an entry that is disabled, dead or no more.
  int interest(int slot) {
    int live = flags[slot] & (USED | ENABLED | DEAD);
    return live == (USED | ENABLED) ? events[slot] | ALWAYS : 0;
  }

  private boolean has(int slot, int flag) {
    return (flags[slot] & flag) != 0;
  }

  /// Puts a slot into the list of changes, once.
  void mark(int slot) {
    if (!has(slot, CHANGED)) {
      flags[slot] |= CHANGED;
      changed[changedCount++] = slot;
    }
  }

  /// Takes a slot out of the list of changes, in the order of their marking; -1 when it is empty.
  ///
  /// @param index 0 for the first, and so on
  int changed(int index) {
    if (index >= changedCount) {
      changedCount = 0;
      return -1;
    }
    flags[changed[index]] &= ~CHANGED;
    return changed[index];
  }

  /// Reports what the kernel says of an entry as far as it is wanted, and disables an auto-disabled
  /// one.
  ///
  /// @return whether it was reported
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
