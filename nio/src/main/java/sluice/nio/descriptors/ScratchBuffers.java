package sluice.nio.descriptors;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/// A pool of native buffers through which heap arrays are copied to the kernel. Any thread may
/// borrow and return a buffer.
///
/// Thread-local buffers would consume memory for each virtual thread. Instead, a thread probes the
/// slots beginning with the one selected by its id, so that a platform thread nearly always obtains
/// a buffer that is still in the CPU's cache.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `BUSY[i * STRIDE]` | any thread | compare-and-set (acquire) | release when returned |
/// | `SLOTS[i]` | the thread that holds slot i, once | plain | plain |
///
/// Limits: the pool has 32 buffers of 64 KiB, which are never freed. If all of them are in use, a
/// buffer is allocated for the duration of the call.
final class ScratchBuffers {
  /// The size of each buffer.
  static final int BYTES = 64 << 10;

  private static final int COUNT = 32;
  private static final int STRIDE = 16;
  private static final AtomicIntegerArray BUSY = new AtomicIntegerArray(COUNT * STRIDE);
  private static final Scratch[] SLOTS = new Scratch[COUNT];

  /// A borrowed buffer, which is returned to the pool when it is closed.
  static final class Scratch implements AutoCloseable {
    private final int slot;
    private final @Nullable Arena arena;
    final MemorySegment segment;

    private Scratch(int slot, @Nullable Arena arena, MemorySegment segment) {
      this.slot = slot;
      this.arena = arena;
      this.segment = segment;
    }

    @Override
    public void close() {
      if (arena != null) {
        arena.close();
      } else {
        BUSY.setRelease(slot * STRIDE, 0);
      }
    }
  }

  private ScratchBuffers() {}

  static Scratch borrow() {
    int start = (int) Thread.currentThread().threadId();
    for (int i = 0; i < COUNT; i++) {
      int slot = (start + i) & (COUNT - 1);
      if (BUSY.compareAndExchangeAcquire(slot * STRIDE, 0, 1) == 0) {
        Scratch scratch = SLOTS[slot];
        if (scratch == null) {
          scratch = new Scratch(slot, null, Arena.global().allocate(BYTES, 64));
          SLOTS[slot] = scratch;
        }
        return scratch;
      }
    }
    Arena arena = Arena.ofConfined();
    return new Scratch(-1, arena, arena.allocate(BYTES, 64));
  }
}
