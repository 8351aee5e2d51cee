package sluice.nfs.v4;

import java.util.Arrays;

/// The byte ranges that one owner has locked in one file. They have the semantics of `fcntl(2)`
/// locks. A new range replaces the overlapping parts of older ranges, and adjacent ranges of the
/// same type are merged. Guarded by the lock of [Nfs4StateManager].
///
/// The ranges are sorted and disjoint. Both bounds are inclusive and unsigned, so that the last
/// possible byte, at offset 2^64 - 1, can be locked.
final class ByteRanges {
  private static final int FIRST_ROOM = 2;

  private long[] starts = new long[FIRST_ROOM];
  private long[] ends = new long[FIRST_ROOM];
  private boolean[] writes = new boolean[FIRST_ROOM];
  private int count;

  /// Returns the number of ranges.
  int count() {
    return count;
  }

  long start(int index) {
    return starts[index];
  }

  long end(int index) {
    return ends[index];
  }

  boolean isWrite(int index) {
    return writes[index];
  }

  /// Returns the first range that conflicts with a lock of another owner.
  ///
  /// @param write true if the other owner requests a write lock
  /// @return the index of the range, or -1 if there is no conflict
  int conflict(long start, long end, boolean write) {
    for (int i = firstReaching(start); i < count && !above(starts[i], end); i++) {
      if (write || writes[i]) {
        return i;
      }
    }
    return -1;
  }

  /// Locks a range.
  void lock(long start, long end, boolean write) {
    unlock(start, end);
    insert(start, end, write);
  }

  /// Unlocks a range. The parts of older ranges that are outside of this range remain locked.
  void unlock(long start, long end) {
    ByteRanges without = new ByteRanges();
    without.room(count + 1);
    for (int i = 0; i < count; i++) {
      without.addOutside(this, i, start, end);
    }
    take(without);
  }

  /// Adds the parts of a range that are outside of the bytes from `start` to `end`.
  private void addOutside(ByteRanges from, int index, long start, long end) {
    long first = from.starts[index];
    long last = from.ends[index];
    boolean write = from.writes[index];
    if (above(start, last) || above(first, end)) {
      insert(first, last, write);
      return;
    }
    if (above(start, first)) {
      insert(first, start - 1, write);
    }
    if (above(last, end)) {
      insert(end + 1, last, write);
    }
  }

  /// Inserts a range that does not overlap any other range, and merges it with its neighbors.
  private void insert(long start, long end, boolean write) {
    int at = count;
    while (at > 0 && above(starts[at - 1], start)) {
      at--;
    }
    boolean joinsBefore = at > 0 && writes[at - 1] == write && ends[at - 1] + 1 == start;
    boolean joinsAfter = at < count && writes[at] == write && end + 1 == starts[at];
    if (joinsBefore && joinsAfter) {
      ends[at - 1] = ends[at];
      remove(at);
    } else if (joinsBefore) {
      ends[at - 1] = end;
    } else if (joinsAfter) {
      starts[at] = start;
    } else {
      room(count + 1);
      int moved = count - at;
      System.arraycopy(starts, at, starts, at + 1, moved);
      System.arraycopy(ends, at, ends, at + 1, moved);
      System.arraycopy(writes, at, writes, at + 1, moved);
      starts[at] = start;
      ends[at] = end;
      writes[at] = write;
      count++;
    }
  }

  private void remove(int at) {
    int moved = count - at - 1;
    System.arraycopy(starts, at + 1, starts, at, moved);
    System.arraycopy(ends, at + 1, ends, at, moved);
    System.arraycopy(writes, at + 1, writes, at, moved);
    count--;
  }

  private void take(ByteRanges other) {
    starts = other.starts;
    ends = other.ends;
    writes = other.writes;
    count = other.count;
  }

  private void room(int wanted) {
    if (wanted > starts.length) {
      int length = Math.max(wanted, 2 * starts.length);
      starts = Arrays.copyOf(starts, length);
      ends = Arrays.copyOf(ends, length);
      writes = Arrays.copyOf(writes, length);
    }
  }

  /// Returns the index of the first range that does not end before the given byte.
  private int firstReaching(long start) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (above(start, ends[middle])) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static boolean above(long a, long b) {
    return Long.compareUnsigned(a, b) > 0;
  }
}
