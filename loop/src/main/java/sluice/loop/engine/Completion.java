package sluice.loop.engine;

/// The third primitive of a completion. Bits are those of an io_uring `cqe->flags`, so that the
/// io_uring engine passes them through.
public final class Completion {
  /// The completion carries a chunk of the arena: see [#chunk].
  public static final int CHUNK = 1;

  /// The operation stays armed and will complete again under the same token.
  public static final int MORE = 1 << 1;

  private static final int CHUNK_SHIFT = 16;

  private Completion() {}

  public static boolean hasChunk(int flags) {
    return (flags & CHUNK) != 0;
  }

  public static boolean hasMore(int flags) {
    return (flags & MORE) != 0;
  }

  /// Index of the chunk that holds the received bytes; meaningful when [#hasChunk].
  public static int chunk(int flags) {
    return flags >>> CHUNK_SHIFT;
  }

  /// Flags of a completion that carries a chunk.
  public static int withChunk(int chunk, boolean more) {
    return (chunk << CHUNK_SHIFT) | CHUNK | (more ? MORE : 0);
  }
}
