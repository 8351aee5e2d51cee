package sluice.loop.engine;

/// The third primitive of a completion. Its lower half contains the bits of an io_uring
/// `cqe->flags`. Its upper half contains the offset at which a received segment begins in its
/// chunk. A completion thus identifies a block, an offset in it and, by its result, a length.
///
/// ```
///  bit 63             32 31       16 15       2   1     0
///     +-----------------+-----------+---------+------+-------+
///     | offset in chunk |   chunk   |         | MORE | CHUNK |
///     +-----------------+-----------+---------+------+-------+
/// ```
public final class Completion {
  /// Set if the completion delivers a segment of a chunk of the arena, see [#chunk] and [#offset].
  public static final int CHUNK = 1;

  /// Set if the operation stays armed and will complete again under the same token.
  public static final int MORE = 1 << 1;

  private static final int CHUNK_SHIFT = 16;
  private static final int CHUNK_MASK = 0xffff;
  private static final int OFFSET_SHIFT = 32;

  private Completion() {}

  public static boolean hasChunk(long flags) {
    return (flags & CHUNK) != 0;
  }

  public static boolean hasMore(long flags) {
    return (flags & MORE) != 0;
  }

  /// Returns the index of the chunk that contains the received bytes. Only valid if [#hasChunk].
  public static int chunk(long flags) {
    return (int) (flags >>> CHUNK_SHIFT) & CHUNK_MASK;
  }

  /// Returns the offset in the chunk at which the received bytes begin. Only valid if [#hasChunk].
  public static int offset(long flags) {
    return (int) (flags >>> OFFSET_SHIFT);
  }

  /// Returns the flags of a completion that delivers a segment of a chunk.
  public static long withChunk(int chunk, int offset, boolean more) {
    return at((chunk << CHUNK_SHIFT) | CHUNK | (more ? MORE : 0), offset);
  }

  /// Returns the flags of a completion by the kernel.
  ///
  /// @param flags the bits of a `cqe->flags`
  /// @param offset the offset at which the segment begins in its chunk, or 0 without a chunk
  public static long at(int flags, int offset) {
    return (long) offset << OFFSET_SHIFT | Integer.toUnsignedLong(flags);
  }
}
