package sluice.testkit.sim;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import sluice.loop.engine.SendVector;

/// A copy of the bytes of one send, made when it was staged, to detect if the caller changes or
/// releases them too early. Owned by the engine's thread.
final class SimBytes {
  private final MemorySegment[] segments;
  private final long[] offsets;

  /// The end of each range in `staged`.
  private final int[] ends;

  private final byte[] staged;

  SimBytes(MemorySegment segment, long offset, int length) {
    this(new MemorySegment[] {segment}, new long[] {offset}, new int[] {length});
  }

  private SimBytes(MemorySegment[] segments, long[] offsets, int[] ends) {
    this.segments = segments;
    this.offsets = offsets;
    this.ends = ends;
    this.staged = new byte[ends[ends.length - 1]];
    int begin = 0;
    for (int i = 0; i < ends.length; i++) {
      if (!segments[i].isNative()) {
        throw new IllegalArgumentException("bytes on the heap cannot be sent: " + segments[i]);
      }
      int length = ends[i] - begin;
      MemorySegment.copy(segments[i], ValueLayout.JAVA_BYTE, offsets[i], staged, begin, length);
      begin = ends[i];
    }
  }

  /// Copies the ranges of a non-empty vector.
  static SimBytes of(SendVector vector) {
    int count = vector.count();
    MemorySegment[] segments = new MemorySegment[count];
    long[] offsets = new long[count];
    int[] ends = new int[count];
    int end = 0;
    for (int i = 0; i < count; i++) {
      segments[i] = vector.segment(i);
      offsets[i] = vector.offset(i);
      end += vector.length(i);
      ends[i] = end;
    }
    return new SimBytes(segments, offsets, ends);
  }

  int length() {
    return staged.length;
  }

  /// Returns the staged bytes. Callers have to check [#firstChange] first.
  byte[] staged() {
    return staged;
  }

  /// Returns the index of the first byte in `[from, to)` that differs from the staged one, or -1.
  int firstChange(int from, int to) {
    MemorySegment was = MemorySegment.ofArray(staged);
    int begin = 0;
    for (int i = 0; i < ends.length; i++) {
      int low = Math.max(from, begin);
      int high = Math.min(to, ends[i]);
      if (low < high) {
        long at = offsets[i] + low - begin;
        long change = MemorySegment.mismatch(was, low, high, segments[i], at, at + high - low);
        if (change >= 0) {
          return low + (int) change;
        }
      }
      begin = ends[i];
    }
    return -1;
  }

  /// Returns true if any range shares a byte with `other`.
  boolean overlaps(MemorySegment other) {
    long low = other.address();
    long high = low + other.byteSize();
    int begin = 0;
    for (int i = 0; i < ends.length; i++) {
      long at = segments[i].address() + offsets[i];
      if (at < high && at + ends[i] - begin > low) {
        return true;
      }
      begin = ends[i];
    }
    return false;
  }
}
