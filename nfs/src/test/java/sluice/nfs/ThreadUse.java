package sluice.nfs;

import java.util.Objects;

/// What threads have used. Without state. By reflection, as this module does not read the
/// management modules.
final class ThreadUse {
  private ThreadUse() {}

  /// What the calling thread has used: bytes of memory, or nanoseconds of the processor.
  ///
  /// @param what `AllocatedBytes` or `CpuTime`
  static long taken(String what) throws ReflectiveOperationException {
    return ofThreads("getCurrentThread" + what);
  }

  /// What all threads have used, the compiler's included.
  ///
  /// @param what as [#taken]
  static long ofAll(String what) throws ReflectiveOperationException {
    if (what.equals("AllocatedBytes")) {
      return ofThreads("getTotalThreadAllocatedBytes");
    }
    return ask("getOperatingSystemMXBean", "OperatingSystemMXBean", "getProcess" + what);
  }

  private static long ofThreads(String method) throws ReflectiveOperationException {
    return ask("getThreadMXBean", "ThreadMXBean", method);
  }

  private static long ask(String bean, String type, String method)
      throws ReflectiveOperationException {
    Object of =
        Class.forName("java.lang.management.ManagementFactory").getMethod(bean).invoke(null);
    Object taken = Class.forName("com.sun.management." + type).getMethod(method).invoke(of);
    return (Long) Objects.requireNonNull(taken);
  }
}
