package sluice.domain;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import sluice.sys.threads.HostThread;

/// The processor time and memory that the threads of one domain have used, compared with its
/// budget. Guarded by one lock.
///
/// There are two token buckets, one for processor time and one for allocated bytes. Each sample
/// adds the tokens that the budget grants for the time since the last sample and removes the tokens
/// that were used. Platform threads that start and terminate between two samples are not seen, but
/// virtual threads are.
final class Usage {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static final AtomicBoolean TURNING_ON = new AtomicBoolean();

  /// The capacity of a bucket, which is the amount that the budget grants in 100 ms.
  private static final long BURST_NANOS = 100_000_000;

  private final Budget budget;
  private Map<Long, long[]> last = new HashMap<>();
  private final Map<Long, long[]> visiting = new HashMap<>();
  private final AtomicLong visitorNanos = new AtomicLong();
  private final AtomicLong visitorBytes = new AtomicLong();
  private long lastCarriedNanos;
  private long lastCarriedBytes;
  private long sampledNanos = System.nanoTime();
  private long cpuNanos;
  private long allocatedBytes;
  private double cpuTokens;
  private double allocationTokens;

  Usage(Budget budget) {
    this.budget = budget;
  }

  /// Takes a sample.
  ///
  /// @param threads the platform threads whose entire use is charged to the domain
  /// @param carriedNanos the processor time that its virtual threads have used so far
  /// @param carriedBytes the bytes that its virtual threads have allocated so far
  /// @return true if the domain has exceeded its budget
  synchronized boolean sample(List<Thread> threads, long carriedNanos, long carriedBytes) {
    keepClocks();
    long[] ids = threads.stream().mapToLong(Thread::threadId).toArray();
    long[] cpu = THREADS.getThreadCpuTime(ids);
    long[] bytes = THREADS.getThreadAllocatedBytes(ids);
    Map<Long, long[]> now = new HashMap<>();
    long usedNanos = carriedNanos - lastCarriedNanos;
    long usedBytes = carriedBytes - lastCarriedBytes;
    lastCarriedNanos = carriedNanos;
    lastCarriedBytes = carriedBytes;
    for (int i = 0; i < ids.length; i++) {
      if (cpu[i] >= 0 && bytes[i] >= 0) {
        long[] before = last.getOrDefault(ids[i], new long[2]);
        usedNanos += cpu[i] - before[0];
        usedBytes += bytes[i] - before[1];
        now.put(ids[i], new long[] {cpu[i], bytes[i]});
      }
    }
    last = now;
    visiting.forEach(this::look);
    usedNanos += visitorNanos.getAndSet(0);
    usedBytes += visitorBytes.getAndSet(0);
    long time = System.nanoTime();
    double passed = time - sampledNanos;
    sampledNanos = time;
    cpuNanos += usedNanos;
    allocatedBytes += usedBytes;
    if (budget.cpuShare() != Double.POSITIVE_INFINITY) {
      double most = budget.cpuShare() * BURST_NANOS;
      cpuTokens = Math.min(most, cpuTokens + passed * budget.cpuShare()) - usedNanos;
    }
    if (budget.allocationBytesPerSecond() != Long.MAX_VALUE) {
      double perNano = budget.allocationBytesPerSecond() / 1e9;
      double most = perNano * BURST_NANOS;
      allocationTokens = Math.min(most, allocationTokens + passed * perNano) - usedBytes;
    }
    return cpuTokens < 0 || allocationTokens < 0;
  }

  /// Charges the use of a thread that does not belong to the domain. Takes no lock.
  void charge(long nanos, long bytes) {
    visitorNanos.addAndGet(nanos);
    visitorBytes.addAndGet(bytes);
  }

  /// Starts charging the domain for the calling thread, which does not belong to it.
  synchronized void enter() {
    visiting.put(
        Thread.currentThread().threadId(),
        new long[] {THREADS.getCurrentThreadCpuTime(), THREADS.getCurrentThreadAllocatedBytes()});
  }

  /// Stops charging the domain for the calling thread.
  synchronized void leave() {
    long id = Thread.currentThread().threadId();
    long[] since = visiting.remove(id);
    if (since != null) {
      look(id, since);
    }
  }

  /// Charges the use of a thread since the last sample.
  private void look(long id, long[] since) {
    long cpu = THREADS.getThreadCpuTime(id);
    long bytes = THREADS.getThreadAllocatedBytes(id);
    if (cpu >= 0 && bytes >= 0) { // else it has ended, or its clock was turned off
      charge(Math.max(0, cpu - since[0]), Math.max(0, bytes - since[1]));
      since[0] = cpu;
      since[1] = bytes;
    }
  }

  /// Turns the JVM's thread clocks on again. A domain may turn them off, and may hold the monitor
  /// that is required to turn them on. Therefore a disposable thread does this, at most one at a
  /// time.
  private static void keepClocks() {
    boolean areOn = THREADS.isThreadCpuTimeEnabled() && THREADS.isThreadAllocatedMemoryEnabled();
    if (!areOn && TURNING_ON.compareAndSet(false, true)) {
      HostThread.daemon(
              "clocks-of-threads",
              () -> {
                try {
                  THREADS.setThreadCpuTimeEnabled(true);
                  THREADS.setThreadAllocatedMemoryEnabled(true);
                } finally {
                  TURNING_ON.set(false);
                }
              })
          .start();
    }
  }

  synchronized long cpuNanos() {
    return cpuNanos;
  }

  synchronized long allocatedBytes() {
    return allocatedBytes;
  }
}
