package sluice.sys.call;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicIntegerArray;

/// Places where a downcall leaves `errno`, lent to whichever thread makes a call.
///
/// Any thread borrows and returns. A thread-local would cost native memory for each virtual thread;
/// here a thread tries the slot its id points to and then the next ones. A call that may block
/// long, or that is hot, owns a place of its own instead (see [Kernel#newErrno]).
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `BUSY[i * STRIDE]` | any thread | compare-and-set (acquire) | release when returned |
/// | `SEGMENTS[i]` bytes | the thread that holds slot i | plain | plain, by the C stub |
///
/// Limits: 64 calls at once; one more finds no slot and allocates for itself.
public final class ErrnoSlots {
  private static final int COUNT = 64;

  /// One flag per cache line of 64 bytes, so that threads do not disturb each other.
  private static final int STRIDE = 16;

  private static final int SLOT_BYTES = 64;

  /// Where in a slot 48 bytes for a small argument of the call begin; `errno` is before.
  public static final long SCRATCH = 16;

  private static final AtomicIntegerArray BUSY = new AtomicIntegerArray(COUNT * STRIDE);
  private static final MemorySegment[] SEGMENTS = new MemorySegment[COUNT];

  static {
    MemorySegment all = Arena.global().allocate((long) COUNT * SLOT_BYTES, SLOT_BYTES);
    for (int i = 0; i < COUNT; i++) {
      SEGMENTS[i] = all.asSlice((long) i * SLOT_BYTES, SLOT_BYTES);
    }
  }

  private ErrnoSlots() {}

  /// @return a slot for [#segment], or -1 when all are lent
  public static int borrow() {
    int start = (int) Thread.currentThread().threadId();
    for (int i = 0; i < COUNT; i++) {
      int slot = (start + i) & (COUNT - 1);
      if (BUSY.compareAndExchangeAcquire(slot * STRIDE, 0, 1) == 0) {
        return slot;
      }
    }
    return -1;
  }

  public static MemorySegment segment(int slot) {
    return SEGMENTS[slot];
  }

  public static void giveBack(int slot) {
    BUSY.setRelease(slot * STRIDE, 0);
  }
}
