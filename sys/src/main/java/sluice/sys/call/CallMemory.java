package sluice.sys.call;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Memory that one object uses for its system calls. Closing it affects no other thread, while
/// closing a shared arena is a handshake with every thread of the JVM: an application may open and
/// close many selectors.
///
/// The garbage collector frees the memory. Recycled memory is kept when it is closed, for the next
/// owner of about its size, so that a program that opens and closes faster than the collector runs
/// needs no more. It may then belong to another owner, so the closing object replaces each of its
/// parts by [#ENDED]: from then on every access throws [IllegalStateException], as with a closed
/// arena. It cannot be closed while a call uses it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `state` | any thread | compare-and-set | compare-and-set; release at a call's end |
/// | a shelf's `idle` | any thread | under the shelf's lock | the same |
///
/// Lifecycle: open → (a call begins and ends)* → closed once. Limits: 64 large and 128 small pieces
/// are kept, 1152 KiB in total; the collector frees all others.
public final class CallMemory {
  /// A segment on which each access throws [IllegalStateException], at any offset.
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

  /// Creates [#ENDED]. The arena is closed once per JVM, when the first object is opened.
  private static MemorySegment ended() {
    try (Arena arena = Arena.ofShared()) {
      return MemorySegment.ofAddress(0).reinterpret(Long.MAX_VALUE, arena, null);
    }
  }

  /// Returns zeroed memory that is not recycled.
  public static CallMemory collected(long bytes) {
    return new CallMemory(Arena.ofAuto().allocate(bytes, Long.BYTES), null);
  }

  /// Returns memory with undefined content, which is recycled after [#close]. More than 16 KiB is
  /// not recycled.
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

  /// Marks the start of a call that uses the memory.
  ///
  /// @throws IllegalStateException if it is closed, or another call uses it
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
  /// @return false if it was closed before
  /// @throws IllegalStateException if a call uses it; it stays open then
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

  /// A pool of idle pieces of one size. Safe for use by any thread.
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
