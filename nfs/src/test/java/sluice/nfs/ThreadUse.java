package sluice.nfs;

import java.util.Objects;

/// What the calling thread has used. Without state.
final class ThreadUse {
  private ThreadUse() {}

  /// Bytes of memory, or nanoseconds of the processor. By reflection, as this module does not read
  /// the management modules.
  ///
  /// @param what `AllocatedBytes` or `CpuTime`
  static long taken(String what) throws ReflectiveOperationException {
    Object threads =
        Class.forName("java.lang.management.ManagementFactory")
            .getMethod("getThreadMXBean")
            .invoke(null);
    Object taken =
        Class.forName("com.sun.management.ThreadMXBean")
            .getMethod("getCurrentThread" + what)
            .invoke(threads);
    return (Long) Objects.requireNonNull(taken);
  }
}
