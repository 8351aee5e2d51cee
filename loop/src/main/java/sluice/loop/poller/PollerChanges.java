package sluice.loop.poller;

import java.util.Arrays;
import java.util.Objects;

/// An array of changes for [Poller#control] that is filled, applied, read and then reused. Owned by
/// one thread at a time. The array grows as needed but never shrinks.
public final class PollerChanges {
  static final byte ADD = 0;
  static final byte MODIFY = 1;
  static final byte REMOVE = 2;
  static final byte ENABLE = 3;
  static final byte DISABLE = 4;

  private byte[] kinds = new byte[16];
  private long[] targets = new long[16];
  private int[] events = new int[16];
  private long[] results = new long[16];
  private int count;

  /// Stages a call of [Poller#add].
  public PollerChanges add(int fd, int wanted) {
    return stage(ADD, fd, wanted);
  }

  /// Stages a call of [Poller#modify].
  public PollerChanges modify(long handle, int wanted) {
    return stage(MODIFY, handle, wanted);
  }

  /// Stages a call of [Poller#remove].
  public PollerChanges remove(long handle) {
    return stage(REMOVE, handle, 0);
  }

  /// Stages a call of [Poller#enable].
  public PollerChanges enable(long handle) {
    return stage(ENABLE, handle, 0);
  }

  /// Stages a call of [Poller#disable].
  public PollerChanges disable(long handle) {
    return stage(DISABLE, handle, 0);
  }

  private PollerChanges stage(byte kind, long target, int wanted) {
    if (count == kinds.length) {
      kinds = Arrays.copyOf(kinds, 2 * count);
      targets = Arrays.copyOf(targets, 2 * count);
      events = Arrays.copyOf(events, 2 * count);
      results = Arrays.copyOf(results, 2 * count);
    }
    kinds[count] = kind;
    targets[count] = target;
    events[count] = wanted;
    results[count++] = 0;
    return this;
  }

  /// Returns the number of staged changes.
  public int count() {
    return count;
  }

  /// Returns the result of a change, which is the handle for an addition and otherwise 0, or a
  /// negative errno.
  ///
  /// @param index 0 ≤ index < [#count]
  public long result(int index) {
    return results[Objects.checkIndex(index, count)];
  }

  /// Drops all changes.
  public PollerChanges clear() {
    count = 0;
    return this;
  }

  byte kind(int index) {
    return kinds[index];
  }

  long target(int index) {
    return targets[index];
  }

  int events(int index) {
    return events[index];
  }

  void result(int index, long value) {
    results[index] = value;
  }
}
