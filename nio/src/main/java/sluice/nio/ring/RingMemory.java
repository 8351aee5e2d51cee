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

/// The memory that all rings of a JVM share: one region of equal pieces, which rings take as needed
/// and return when they close. Any thread may call.
///
/// The region is only address space at first. A piece has pages from its first use until it is
/// given back, which returns them to the system; so the process holds what the rings hold and no
/// more. The region itself is never unmapped, so that no late reader can meet foreign memory.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `free` | any thread | volatile | under the class's lock |
/// | `stack` | any thread | under the class's lock | the same |
///
/// Limits: `sluice.nio.memory` in MiB, from 16 to 1024, or 0 for no rings; by default an eighth of
/// the largest heap, from 32 to 256 MiB. The last quarter is reserved for pieces that a ring cannot
/// do without.
final class RingMemory {
  /// The size of a piece: several TLS records, and a multiple of the page size unless pages are
  /// larger.
  static final int PIECE_BYTES = 64 << 10;

  /// The memory of the region, which is never released.
  private static final @Nullable Block MEMORY = allocate();

  private static final MemorySegment SEGMENT =
      MEMORY == null ? MemorySegment.NULL : MEMORY.segment();
  private static final ByteBuffer BYTES = SEGMENT.asByteBuffer();

  /// The pieces, created when they are first taken.
  private static final RingChunk[] PIECES = new RingChunk[(int) (SEGMENT.byteSize() / PIECE_BYTES)];

  private static final int RESERVE = PIECES.length / 4;

  /// The free pieces, with the one to take next at the end; pieces at the beginning of the region
  /// come first.
  private static final int[] stack = new int[PIECES.length];

  private static volatile int free;

  static {
    int count = PIECES.length;
    for (int i = 0; i < count; i++) {
      stack[count - 1 - i] = i;
    }
    free = count;
  }

  /// This memory as a store for the arenas of rings.
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

  /// Returns the memory of the whole region.
  static MemorySegment region() {
    return SEGMENT;
  }

  /// Returns the region as a buffer. Absolute access only: position and limit are shared.
  static ByteBuffer bytes() {
    return BYTES;
  }

  static int count() {
    return PIECES.length;
  }

  /// Returns the number of pieces that no ring has.
  static int free() {
    return free;
  }

  /// Returns the offset of a piece in the region.
  static int start(RingChunk piece) {
    return piece.index * PIECE_BYTES;
  }

  /// Returns the piece that contains an offset of the region.
  static RingChunk at(int offset) {
    return PIECES[offset / PIECE_BYTES];
  }

  /// Takes a zeroed piece for growth.
  ///
  /// @return null if the remaining pieces are reserved for [#need]
  static @Nullable RingChunk take() {
    return free > RESERVE ? pop(RESERVE) : null;
  }

  /// Takes a zeroed piece that a ring cannot do without.
  ///
  /// @throws IOException if none is left
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

  /// Takes back a piece that neither the kernel nor a reader uses any more.
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
