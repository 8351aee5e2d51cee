package sluice.testbase;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/// How much threads allocate, for tests of what must allocate nothing. Any thread may ask.
///
/// Only the compiler C2 takes away objects that are not kept, such as those that a system call
/// makes, and it gets to them when it has time. So work is measured again and again until it is
/// cheap enough, and how fast a machine compiles decides nothing.
public final class AllocatedBytes {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /// How long a busy machine may take to compile.
  private static final long COMPILE_NANOS = TimeUnit.SECONDS.toNanos(150);

  private AllocatedBytes() {}

  /// What is measured.
  public interface Work {
    void run() throws Exception;
  }

  /// What the calling thread has allocated since it started.
  public static long ofThisThread() {
    return THREADS.getCurrentThreadAllocatedBytes();
  }

  /// What all threads together have allocated.
  public static long ofAll() {
    return THREADS.getTotalThreadAllocatedBytes();
  }

  /// Runs `work`, some thousand rounds of what is measured, until one run lets the calling thread
  /// allocate few enough bytes, for two and a half minutes at most.
  ///
  /// @param enough bytes of a run
  /// @return bytes of the last run
  /// @throws AssertionError when this JVM can never do it for want of C2
  public static long settled(long enough, Work work) throws Exception {
    return settled(Thread.currentThread(), enough, work);
  }

  /// As above, for what another thread allocates meanwhile.
  ///
  /// @param thread a platform thread
  public static long settled(Thread thread, long enough, Work work) throws Exception {
    long begin = System.nanoTime();
    long allocated = measure(thread, work);
    while (allocated > enough && System.nanoTime() - begin < COMPILE_NANOS) {
      requireC2();
      allocated = measure(thread, work);
    }
    return allocated;
  }

  private static long measure(Thread thread, Work work) throws Exception {
    if (Thread.interrupted()) {
      throw new AssertionError("interrupted while a compiler is waited for");
    }
    long before = THREADS.getThreadAllocatedBytes(thread.threadId());
    work.run();
    return THREADS.getThreadAllocatedBytes(thread.threadId()) - before;
  }

  /// Where short-lived objects can never go away, waiting for that is in vain.
  private static void requireC2() {
    String mode = System.getProperty("java.vm.info", "");
    if (mode.startsWith("interpreted") || mode.contains("emulated-client")) {
      throw new AssertionError(
          "what is allocated is measured with the compiler C2, and this JVM is in "
              + mode
              + ". Fix: no -Xint and no -XX:TieredStopAtLevel, in JAVA_TOOL_OPTIONS neither");
    }
  }
}
