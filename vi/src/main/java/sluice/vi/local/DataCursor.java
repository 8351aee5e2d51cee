package sluice.vi.local;

/// The place of each fragment in the byte ring, computed by both sides from the lengths alone.
///
/// A fragment is contiguous and begins with a cache line; a fragment that does not fit before the
/// end of the ring begins at its start. Belongs to the thread that uses its end of the ring.
final class DataCursor {
  private final int size;
  private long position;

  /// @param size bytes of the ring, a power of two
  DataCursor(int size) {
    this.size = size;
  }

  /// Bytes that were passed so far, those skipped at the end of the ring included.
  long position() {
    return position;
  }

  /// Where the next fragment begins, without taking it.
  long next(int length) {
    long at = position & (size - 1);
    return at + length > size ? position + (size - at) : position;
  }

  /// Takes the next fragment.
  ///
  /// @param length 1 to the size of the ring
  /// @return its first byte in the ring
  int take(int length) {
    long begin = next(length);
    position = begin + ((length + RingLayout.LINE - 1) & -RingLayout.LINE);
    return (int) (begin & (size - 1));
  }
}
