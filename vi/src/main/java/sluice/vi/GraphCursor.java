package sluice.vi;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.MemorySegment;

/// Where reading a graph stands. Of one thread. What it reads may be a hostile peer's.
final class GraphCursor {
  private final MemorySegment segment;
  private long at;

  GraphCursor(MemorySegment segment, long at) {
    this.segment = segment;
    this.at = at;
  }

  MemorySegment segment() {
    return segment;
  }

  /// Goes on by so many bytes.
  ///
  /// @return where they begin
  long pass(long bytes) {
    long begin = at;
    at += bytes;
    return begin;
  }

  int number() {
    return segment.get(JAVA_INT_UNALIGNED, pass(Integer.BYTES));
  }

  /// How many elements follow.
  ///
  /// @param bytes least bytes of each, at least 1
  /// @throws IndexOutOfBoundsException when so many cannot be there
  int count(int bytes) {
    int count = number();
    if (count < 0 || (long) count * bytes > segment.byteSize() - at) {
      throw new IndexOutOfBoundsException(count + " elements are not there");
    }
    return count;
  }
}
