package sluice.testbase;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/// Nanoseconds of the processor, for what tests print. Any thread may ask.
public final class CpuTime {
  private CpuTime() {}

  /// What the calling thread has used since it started.
  public static long ofThisThread() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  /// What all threads together have used, the compiler's included.
  public static long ofAll() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }
}
