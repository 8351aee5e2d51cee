package sluice.sys;

/// How much the calling thread has allocated, for tests.
///
/// Any thread may ask about itself. By reflection, as this module does not read the management
/// modules.
final class AllocatedBytes {
  private AllocatedBytes() {}

  static long ofThisThread() throws ReflectiveOperationException {
    Object threads =
        Class.forName("java.lang.management.ManagementFactory")
            .getMethod("getThreadMXBean")
            .invoke(null);
    Object bytes =
        Class.forName("com.sun.management.ThreadMXBean")
            .getMethod("getCurrentThreadAllocatedBytes")
            .invoke(threads);
    return (Long) bytes;
  }
}
