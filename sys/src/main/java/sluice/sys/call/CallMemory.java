package sluice.sys.call;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Memory that a single object uses for its system calls. Closing it does not affect any other
/// thread. In contrast, closing a shared arena requires a handshake with every thread of the JVM,
/// which would be expensive because an application may open and close many selectors.
///
/// The memory is freed by the garbage collector. When recycled memory is closed, it is kept for the
/// next owner that requests about the same size, so that a program that opens and closes objects
/// faster than the collector runs does not need more memory. Because the memory may then belong to
/// another owner, the object that is closed must replace each of its parts by [#ENDED]. From then
/// on every access throws [IllegalStateException], as with a closed arena. The memory cannot be
/// closed while a call is using it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `state` | any thread | compare-and-set | compare-and-set; release at a call's end |
/// | a shelf's `idle` | any thread | under the shelf's lock | the same |
///
/// Lifecycle: open → (a call begins and ends)* → closed once. At most 64 large and 128 small
/// segments, 1152 KiB in total, are kept for reuse. All others are freed by the collector.
public final class CallMemory {
  /// A segment on which every access throws [IllegalStateException], regardless of the offset.
  public static final MemorySegment ENDED = ended();

  private static final int OPEN = 0;
  private static final int IN_CALL = 1;
  private static final int CLOSED = 2;

  private static final Shelf SMALL = new Shelf(1 << 10, 128);
  private static final Shelf LARGE = new Shelf(16 << 10, 64);

  private final AtomicInteger state = new AtomicInteger(OPEN);
  private final MemorySegment memory;
  private final @Nullable Shelf shelf;
  private long used;

  private CallMemory(MemorySegment memory, @Nullable Shelf shelf) {
    this.memory = memory;
    this.shelf = shelf;
  }

  /// Creates [#ENDED]. Its arena is closed once per JVM, when the first object is opened.
  private static MemorySegment ended() {
    try (Arena arena = Arena.ofShared()) {
      return MemorySegment.ofAddress(0).reinterpret(Long.MAX_VALUE, arena, null);
    }
  }

  /// Returns zeroed memory that is not recycled.
  public static CallMemory collected(long bytes) {
    return new CallMemory(Arena.ofAuto().allocate(bytes, Long.BYTES), null);
  }

  /// Returns memory with undefined content that is recycled after [#close]. Memory of more than 16
  /// KiB is not recycled.
  public static CallMemory recycled(long bytes) {
    Shelf shelf = bytes <= SMALL.bytes ? SMALL : bytes <= LARGE.bytes ? LARGE : null;
    return shelf == null ? collected(bytes) : new CallMemory(shelf.take(), shelf);
  }

  /// Returns the next part, aligned to 8 bytes.
  public MemorySegment part(long bytes) {
    MemorySegment part = memory.asSlice(used, bytes);
    used += (bytes + Long.BYTES - 1) & -Long.BYTES;
    return part;
  }

  /// Marks the beginning of a call that uses this memory.
  ///
  /// @throws IllegalStateException if the memory is closed, or if another call is using it
  public void beginCall() {
    if (!state.compareAndSet(OPEN, IN_CALL)) {
      throw new IllegalStateException(
          state.get() == CLOSED ? "already closed" : "another call uses this memory");
    }
  }

  public void endCall() {
    try {
      state.setRelease(OPEN);
    } finally {
      Reference.reachabilityFence(this); // the memory must exist as long as the call
    }
  }

  /// Closes the memory, which may be recycled.
  ///
  /// @return false if the memory was already closed
  /// @throws IllegalStateException if a call is using the memory, in which case it remains open
  public boolean close() {
    int before = state.compareAndExchange(OPEN, CLOSED);
    if (before == IN_CALL) {
      throw new IllegalStateException("a call uses this memory");
    }
    if (before == CLOSED) {
      return false;
    }
    if (shelf != null) {
      shelf.keep(memory);
    }
    return true;
  }

  /// A pool of idle memory segments of the same size. This class is thread-safe.
  private static final class Shelf {
    final int bytes;
    private final int most;
    private final ArrayDeque<MemorySegment> idle = new ArrayDeque<>();

    Shelf(int bytes, int most) {
      this.bytes = bytes;
      this.most = most;
    }

    MemorySegment take() {
      MemorySegment kept;
      synchronized (idle) {
        kept = idle.pollLast();
      }
      return Objects.requireNonNullElseGet(kept, () -> Arena.ofAuto().allocate(bytes, Long.BYTES));
    }

    void keep(MemorySegment piece) {
      synchronized (idle) {
        if (idle.size() < most) {
          idle.addLast(piece);
        }
      }
    }
  }
}
