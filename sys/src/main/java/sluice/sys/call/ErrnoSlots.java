package sluice.sys.call;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicIntegerArray;

/// A pool of memory slots that receive the `errno` of a downcall.
///
/// Any thread may borrow and return slots. A thread-local variable would require native memory for
/// each virtual thread. Instead, a thread first tries the slot that is selected by its id, and then
/// the following slots. A caller whose calls are hot or may block for a long time uses its own
/// memory instead (see [Kernel#newErrno]).
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `BUSY[i * STRIDE]` | any thread | compare-and-set (acquire) | release when returned |
/// | `SEGMENTS[i]` bytes | the thread that holds slot i | plain | plain, by the C stub |
///
/// At most 64 calls can use slots at the same time. Any further caller does not get a slot and
/// allocates memory itself.
public final class ErrnoSlots {
  private static final int COUNT = 64;

  /// The distance between flags. There is one flag per cache line of 64 bytes in order to avoid
  /// false sharing.
  private static final int STRIDE = 16;

  private static final int SLOT_BYTES = 64;

  /// The offset in a slot of 48 bytes for a small argument of the call. They follow the `errno`.
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

  /// Borrows a slot.
  ///
  /// @return a slot for use with [#segment], or -1 if all slots are in use
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
