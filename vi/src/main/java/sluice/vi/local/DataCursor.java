package sluice.vi.local;

/// A cursor that computes the place of each fragment in the byte ring. Both sides compute it from
/// the lengths alone.
///
/// A fragment is contiguous and begins with a cache line; a fragment that does not fit before the
/// end of the ring begins at its start. Owned by the thread that uses its end of the ring.
final class DataCursor {
  private final int size;
  private long position;

  /// @param size the size of the ring in bytes, a power of two
  DataCursor(int size) {
    this.size = size;
  }

  /// Returns the number of bytes passed so far, including those skipped at the end of the ring.
  long position() {
    return position;
  }

  /// Returns the position of the next fragment, without taking it.
  long next(int length) {
    long at = position & (size - 1);
    return at + length > size ? position + (size - at) : position;
  }

  /// Takes the next fragment.
  ///
  /// @param length 1 to the size of the ring
  /// @return the offset of its first byte in the ring
  int take(int length) {
    long begin = next(length);
    position = begin + ((length + RingLayout.LINE - 1) & -RingLayout.LINE);
    return (int) (begin & (size - 1));
  }
}
