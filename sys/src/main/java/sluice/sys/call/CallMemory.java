package sluice.sys.call;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Memory that one object lends to its calls into the kernel. Closing it stops no other thread,
/// while closing a shared arena is a handshake with every thread of the JVM: selectors are opened
/// and closed as often as an application likes.
///
/// The garbage collector frees the memory. A recycled one is kept when it is closed, for the next
/// of about its size, so that a program that opens and closes faster than the collector runs needs
/// no more. What belongs to it may then belong to another owner, so the object that has lent it
/// puts [#ENDED] in the place of each part: from then on every access throws
/// [IllegalStateException], as with a closed arena. It cannot be closed while a call uses it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `state` | any thread | compare-and-set | compare-and-set; release at a call's end |
/// | a shelf's `idle` | any thread | under the shelf's lock | the same |
///
/// Lifecycle: open → (a call begins and ends)* → closed once. Limits: 64 large and 128 small pieces
/// are kept, 1152 KiB together; what is more is the collector's.
public final class CallMemory {
  /// Throws [IllegalStateException] at each access, whatever the offset.
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

  /// The arena is closed once per JVM, when the first object is opened.
  private static MemorySegment ended() {
    try (Arena arena = Arena.ofShared()) {
      return MemorySegment.ofAddress(0).reinterpret(Long.MAX_VALUE, arena, null);
    }
  }

  /// Zeros that are not recycled.
  public static CallMemory collected(long bytes) {
    return new CallMemory(Arena.ofAuto().allocate(bytes, Long.BYTES), null);
  }

  /// Memory with any content, which the next owner gets after [#close]. More than 16 KiB is not
  /// recycled.
  public static CallMemory recycled(long bytes) {
    Shelf shelf = bytes <= SMALL.bytes ? SMALL : bytes <= LARGE.bytes ? LARGE : null;
    return shelf == null ? collected(bytes) : new CallMemory(shelf.take(), shelf);
  }

  /// Cuts the next part off, aligned to 8 bytes.
  public MemorySegment part(long bytes) {
    MemorySegment part = memory.asSlice(used, bytes);
    used += (bytes + Long.BYTES - 1) & -Long.BYTES;
    return part;
  }

  /// A call begins to use the memory.
  ///
  /// @throws IllegalStateException when it is closed, or another call uses it
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
      Reference.reachabilityFence(this); // the memory must live as long as the call
    }
  }

  /// Gives the memory to the next owner.
  ///
  /// @return false when it was closed before
  /// @throws IllegalStateException when a call uses it; it stays open
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

  /// Pieces of one size without an owner. Any thread takes and gives.
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
