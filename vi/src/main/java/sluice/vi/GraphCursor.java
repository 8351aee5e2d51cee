package sluice.vi;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.MemorySegment;

/// A read position in a graph, which is used by a single thread. The bytes may come from a hostile
/// peer.
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

  /// Advances the position by the given number of bytes.
  ///
  /// @return the previous position
  long pass(long bytes) {
    long begin = at;
    at += bytes;
    return begin;
  }

  int number() {
    return segment.get(JAVA_INT_UNALIGNED, pass(Integer.BYTES));
  }

  /// Reads the number of elements that follow.
  ///
  /// @param bytes the minimum number of bytes per element, at least 1
  /// @throws IndexOutOfBoundsException if the buffer is too small for that many elements
  int count(int bytes) {
    int count = number();
    if (count < 0 || (long) count * bytes > segment.byteSize() - at) {
      throw new IndexOutOfBoundsException(count + " elements are not there");
    }
    return count;
  }
}
