package sluice.sys;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import sluice.sys.call.ErrnoSlots;
import sluice.sys.call.Kernel;

/// The coarse real-time clock of the kernel, which is also used for file timestamps. It is updated
/// at each tick, every 1 to 10 ms. This class is thread-safe. Reading the clock costs a quarter of
/// reading an exact clock.
///
/// `clock_gettime(CLOCK_REALTIME_COARSE)` reads two words in memory that the kernel shares with
/// every process. It does not enter the kernel and cannot block, so unlike the calls of [Kernel] it
/// may be linked as `critical`. This requires a separate method handle, which is linked when it is
/// needed by the first file system.
public final class CoarseClock {
  private static final int CLOCK_REALTIME_COARSE = 5;
  private static final long NANOS = 1_000_000_000L;

  private static final MethodHandle GETTIME =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("clock_gettime"),
              FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS),
              Linker.Option.critical(false));

  private CoarseClock() {}

  /// Returns the time in nanoseconds since 1970, which is at most one tick old.
  public static long realtimeNanos() {
    int slot = Kernel.SUPPORTED ? ErrnoSlots.borrow() : -1;
    if (slot < 0) {
      return System.currentTimeMillis() * 1_000_000L;
    }
    try {
      MemorySegment memory = ErrnoSlots.segment(slot);
      int failed = (int) GETTIME.invokeExact(CLOCK_REALTIME_COARSE, memory);
      return failed != 0
          ? System.currentTimeMillis() * 1_000_000L
          : memory.get(JAVA_LONG, 0) * NANOS + memory.get(JAVA_LONG, Long.BYTES);
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    } finally {
      ErrnoSlots.giveBack(slot);
    }
  }
}
