package sluice.sys.threads;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.Errno;
import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// The time slices that the kernel's fair scheduler assigns to platform threads, in nanoseconds. A
/// thread with a longer slice is scheduled later when other threads compete for the processor, and
/// then runs longer. Its share of the processor time does not change. No privilege is required.
/// This class is stateless and thread-safe.
///
/// Requires Linux 6.12 or later (`sched_setattr(2)`, `sched_runtime`; I. Stoica, H. Abdel-Wahab,
/// "Earliest Eligible Virtual Deadline First", 1995). Earlier kernels accept the value but ignore
/// it.
public final class TimeSlice {
  /// The longest time slice that is supported by the kernel.
  public static final long LONGEST_NANOS = 100_000_000;

  /// A value that selects the default of the kernel, which is one to three milliseconds.
  public static final long DEFAULT_NANOS = 0;

  // struct sched_attr, version 0
  private static final int BYTES = 48;
  private static final int FLAGS_AT = 8;
  private static final int RUNTIME_AT = 24;
  private static final long KEEP_POLICY = 0x08;

  private TimeSlice() {}

  /// Returns the kernel's id of the calling platform thread, or of its carrier if the caller is a
  /// virtual thread.
  public static int threadNumber() {
    return (int) Kernel.call(SystemCall.GETTID, 0);
  }

  /// Sets the time slice of a thread of this process. The nice value of the thread is not changed.
  ///
  /// @param threadNumber the kernel's id of the thread
  /// @param nanos 100 000 to [#LONGEST_NANOS], or [#DEFAULT_NANOS]; the kernel chooses the nearest
  ///   value that it supports
  /// @return 0 or a negative errno: -ESRCH if the thread does not exist, or -EPERM if a system call
  ///   filter rejects the call
  public static int set(int threadNumber, long nanos) {
    if (nanos < 0) {
      return -Errno.EINVAL;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = arena.allocate(BYTES, Long.BYTES);
      long result = read(threadNumber, attributes);
      if (result < 0) {
        return (int) result;
      }
      attributes.set(JAVA_INT, 0, BYTES);
      attributes.set(JAVA_LONG, FLAGS_AT, KEEP_POLICY);
      attributes.set(JAVA_LONG, RUNTIME_AT, nanos);
      return (int) Kernel.call(SystemCall.SCHED_SETATTR, threadNumber, attributes.address(), 0);
    }
  }

  /// Returns the time slice of a thread of this process in nanoseconds, 0 if it is not reported by
  /// the kernel, or a negative errno like [#set].
  public static long of(int threadNumber) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = arena.allocate(BYTES, Long.BYTES);
      long result = read(threadNumber, attributes);
      return result < 0 ? result : attributes.get(JAVA_LONG, RUNTIME_AT);
    }
  }

  private static long read(int threadNumber, MemorySegment attributes) {
    return Kernel.call(
        SystemCall.SCHED_GETATTR, threadNumber, attributes.address(), attributes.byteSize(), 0);
  }
}
