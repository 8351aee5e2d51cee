package sluice.loop.engine;

/// The third primitive of a completion. Its lower half has the bits of an io_uring `cqe->flags`;
/// its upper half says where in its chunk a received piece begins. So a completion names a block,
/// an offset in it and, by its result, a length.
///
/// ```
///  bit 63             32 31       16 15       2   1     0
///     +-----------------+-----------+---------+------+-------+
///     | offset in chunk |   chunk   |         | MORE | CHUNK |
///     +-----------------+-----------+---------+------+-------+
/// ```
public final class Completion {
  /// The completion carries a piece of a chunk of the arena: see [#chunk] and [#offset].
  public static final int CHUNK = 1;

  /// The operation stays armed and will complete again under the same token.
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

  /// Index of the chunk that holds the received bytes; meaningful when [#hasChunk].
  public static int chunk(long flags) {
    return (int) (flags >>> CHUNK_SHIFT) & CHUNK_MASK;
  }

  /// Where in the chunk the received bytes begin; meaningful when [#hasChunk].
  public static int offset(long flags) {
    return (int) (flags >>> OFFSET_SHIFT);
  }

  /// Flags of a completion that carries a piece of a chunk.
  public static long withChunk(int chunk, int offset, boolean more) {
    return at((chunk << CHUNK_SHIFT) | CHUNK | (more ? MORE : 0), offset);
  }

  /// Flags of a completion of the kernel's.
  ///
  /// @param flags bits of a `cqe->flags`
  /// @param offset where in its chunk the piece begins, 0 without a chunk
  public static long at(int flags, int offset) {
    return (long) offset << OFFSET_SHIFT | Integer.toUnsignedLong(flags);
  }
}
