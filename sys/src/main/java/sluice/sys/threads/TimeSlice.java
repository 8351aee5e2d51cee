package sluice.sys.threads;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.Errno;
import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// The time slices that the kernel's fair scheduler gives to platform threads, in nanoseconds. A
/// thread with a longer slice runs later when others compete for the processor, and then runs
/// longer; its share of the processor time stays the same. Requires no privilege. Stateless and
/// safe for use by any thread.
///
/// Linux 6.12 and later (`sched_setattr(2)`, `sched_runtime`; I. Stoica, H. Abdel-Wahab, "Earliest
/// Eligible Virtual Deadline First", 1995). Earlier kernels accept the value without any effect.
public final class TimeSlice {
  /// The longest slice that the kernel grants.
  public static final long LONGEST_NANOS = 100_000_000;

  /// The kernel's own choice: one to three milliseconds.
  public static final long DEFAULT_NANOS = 0;

  // struct sched_attr, version 0
  private static final int BYTES = 48;
  private static final int FLAGS_AT = 8;
  private static final int RUNTIME_AT = 24;
  private static final long KEEP_POLICY = 0x08;

  private TimeSlice() {}

  /// Returns the kernel's number of the calling platform thread, or of the carrier if the caller is
  /// a virtual thread.
  public static int threadNumber() {
    return (int) Kernel.call(SystemCall.GETTID, 0);
  }

  /// Sets the time slice of a thread of this process. Its nice value does not change.
  ///
  /// @param threadNumber the kernel's number of the thread
  /// @param nanos 100 000 to [#LONGEST_NANOS], or [#DEFAULT_NANOS]; the kernel chooses the nearest
  ///   value that it supports
  /// @return 0 or a negative errno: -ESRCH if there is no such thread, -EPERM if a system call
  ///   filter refuses
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

  /// Returns the time slice of a thread of this process in nanoseconds. Returns 0 if the kernel
  /// does not report it, or a negative errno as [#set] does.
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
