package sluice.nio.ring;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import sluice.loop.uring.ChunkStore;
import sluice.loop.uring.RingChunk;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.memory.block.Region;
import sluice.sys.SysException;

/// The memory that is shared by all rings of a JVM. It is a single region that is divided into
/// chunks of equal size, which rings allocate as needed and release when they are closed. Any
/// thread may call.
///
/// The region initially consists only of address space. A chunk is backed by pages from its first
/// use until it is released, which returns the pages to the system. The resident memory of the
/// process is therefore limited to the chunks that rings currently hold. The region itself is never
/// unmapped, so that a late reader cannot access memory that has been mapped for another purpose.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `free` | any thread | volatile | under the class's lock |
/// | `stack` | any thread | under the class's lock | the same |
///
/// Limits: `sluice.nio.memory` in MiB, from 16 to 1024, or 0 to disable rings. The default is one
/// eighth of the maximum heap size, but at least 32 and at most 256 MiB. The last quarter is
/// reserved for chunks that a ring requires to work at all.
final class RingMemory {
  /// The size of a chunk. It holds several TLS records and is a multiple of the page size, unless
  /// pages are larger.
  static final int PIECE_BYTES = 64 << 10;

  /// The memory of the region, which is never released.
  private static final @Nullable Block MEMORY = allocate();

  private static final MemorySegment SEGMENT =
      MEMORY == null ? MemorySegment.NULL : MEMORY.segment();
  private static final ByteBuffer BYTES = SEGMENT.asByteBuffer();

  /// The chunks, each of which is created when it is first allocated.
  private static final RingChunk[] PIECES = new RingChunk[(int) (SEGMENT.byteSize() / PIECE_BYTES)];

  private static final int RESERVE = PIECES.length / 4;

  /// The indexes of the free chunks, ending with the next one to allocate. Chunks at the beginning
  /// of the region are preferred.
  private static final int[] stack = new int[PIECES.length];

  private static volatile int free;

  static {
    int count = PIECES.length;
    for (int i = 0; i < count; i++) {
      stack[count - 1 - i] = i;
    }
    free = count;
  }

  /// Makes this memory available as a store for the arenas of rings.
  static final ChunkStore STORE = new Store();

  private RingMemory() {}

  private static @Nullable Block allocate() {
    long bytes = (long) RingBudget.mib(System::getProperty) << 20;
    if (bytes == 0) {
      return null;
    }
    try {
      Account account = new Account("rings of selectors", bytes);
      return Region.single("rings of selectors", account, bytes, PIECE_BYTES, false);
    } catch (SysException noRoom) {
      return null;
    }
  }

  /// Returns the memory segment of the entire region.
  static MemorySegment region() {
    return SEGMENT;
  }

  /// Returns the region as a buffer. Only absolute access is allowed, because the position and
  /// limit are shared.
  static ByteBuffer bytes() {
    return BYTES;
  }

  static int count() {
    return PIECES.length;
  }

  /// Returns the number of chunks that are not allocated to any ring.
  static int free() {
    return free;
  }

  /// Returns the offset of the given chunk in the region.
  static int start(RingChunk piece) {
    return piece.index * PIECE_BYTES;
  }

  /// Returns the chunk that contains the given offset of the region.
  static RingChunk at(int offset) {
    return PIECES[offset / PIECE_BYTES];
  }

  /// Allocates a zeroed chunk with which a ring can grow.
  ///
  /// @return the chunk, or null if all remaining chunks are reserved for [#need]
  static @Nullable RingChunk take() {
    return free > RESERVE ? pop(RESERVE) : null;
  }

  /// Allocates a zeroed chunk that a ring requires to work at all.
  ///
  /// @throws IOException if no chunk is free
  static RingChunk need() throws IOException {
    RingChunk piece = pop(0);
    if (piece == null) {
      throw new IOException(
          """
          the %d MiB for all rings of this JVM are in use
            Why: many selectors are open, or their channels hold much that nobody reads
            Fix: raise -D%s=MiB, or close selectors\
          """
              .formatted(SEGMENT.byteSize() >> 20, RingBudget.PROPERTY));
    }
    return piece;
  }

  private static synchronized @Nullable RingChunk pop(int keep) {
    int left = free - 1;
    if (left < keep) {
      return null;
    }
    free = left;
    int index = stack[left];
    RingChunk piece = PIECES[index];
    if (piece == null) {
      piece = new RingChunk(index, SEGMENT.asSlice((long) index * PIECE_BYTES, PIECE_BYTES));
      PIECES[index] = piece;
    }
    return piece;
  }

  /// Releases a chunk that is no longer used by the kernel or by a reader.
  static void giveBack(RingChunk piece) {
    Region region = MEMORY == null ? null : MEMORY.region();
    if (region != null) {
      int _ = region.discard(start(piece), PIECE_BYTES); // where pages are larger it keeps them
    }
    piece.own(null);
    synchronized (RingMemory.class) {
      int before = free;
      stack[before] = piece.index;
      free = before + 1;
    }
  }

  private static final class Store implements ChunkStore {
    @Override
    public MemorySegment region() {
      return SEGMENT;
    }

    @Override
    public int count() {
      return PIECES.length;
    }

    @Override
    public int chunkBytes() {
      return PIECE_BYTES;
    }

    @Override
    public RingChunk chunk(int index) {
      return PIECES[index];
    }

    @Override
    public int free() {
      return Math.max(0, free - RESERVE);
    }

    @Override
    public @Nullable RingChunk take() {
      return RingMemory.take();
    }

    @Override
    public RingChunk need() throws IOException {
      return RingMemory.need();
    }

    @Override
    public void giveBack(RingChunk chunk) {
      RingMemory.giveBack(chunk);
    }
  }
}
