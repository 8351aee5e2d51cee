package sluice.vi.local;

/// A cursor that computes the position of each fragment in the byte ring. Both sides derive it from
/// the lengths alone.
///
/// A fragment is contiguous and aligned to a cache line. A fragment that does not fit before the
/// end of the ring is stored at its start. Owned by the thread that uses this end of the ring.
final class DataCursor {
  private final int size;
  private long position;

  /// @param size the size of the ring in bytes, a power of two
  DataCursor(int size) {
    this.size = size;
  }

  /// Returns the number of bytes passed so far, including those that were skipped at the end of the
  /// ring.
  long position() {
    return position;
  }

  /// Returns the position of the next fragment without advancing the cursor.
  long next(int length) {
    long at = position & (size - 1);
    return at + length > size ? position + (size - at) : position;
  }

  /// Advances the cursor past the next fragment.
  ///
  /// @param length the length, from 1 to the size of the ring
  /// @return the offset of its first byte in the ring
  int take(int length) {
    long begin = next(length);
    position = begin + ((length + RingLayout.LINE - 1) & -RingLayout.LINE);
    return (int) (begin & (size - 1));
  }
}
