package sluice.domain.carrier;

import com.sun.management.ThreadMXBean;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/// Charges queues for the resources used by their continuations on one worker.
///
/// Reading the processor time of a thread takes a system call, so it is read once per interval of a
/// millisecond. Within the interval, the clock is read whenever the queue changes. At the end, each
/// queue is charged its share of the worker's processor time. Therefore the sum is exact even if
/// the kernel has assigned the processor to other programs in the meantime. The error for one queue
/// is at most the use of the other queues within the same interval.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | current, interval | the worker | acquire | release |
/// | startCpu, startBytes | the worker | plain, checked by interval | plain |
/// | seenCpu | the watcher | plain | plain |
/// | all other fields | the worker | plain | plain |
final class Meter {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final long INTERVAL_NANOS = 1_000_000;

  /// The maximum number of queues in an interval. The interval ends when it is exceeded.
  private static final int MOST = 16;

  private static final VarHandle CURRENT;
  private static final VarHandle INTERVAL;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      CURRENT = lookup.findVarHandle(Meter.class, "current", RunQueue.class);
      INTERVAL = lookup.findVarHandle(Meter.class, "interval", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final RunQueue scheduler;
  private final long thread;
  private final @Nullable RunQueue[] queues = new @Nullable RunQueue[MOST];
  private final long[] nanos = new long[MOST];
  private int count;
  private RunQueue current;
  private long stampNanos;
  private long startNanos;
  private long startCpu;
  private long startBytes;
  private long countedFrom;
  private long counted;
  private long interval;
  private long seenCpu;

  /// Creates the meter of a worker.
  ///
  /// @param scheduler the queue that is charged for the time outside of continuations
  /// @param thread the thread id of the worker
  Meter(RunQueue scheduler, long thread) {
    this.scheduler = scheduler;
    this.thread = thread;
    current = scheduler;
  }

  /// Begins the first interval, or the first interval after a wait. The time of the wait is not
  /// charged to any queue. The time that the thread has used before and after the wait is charged
  /// to the scheduler.
  void begin() {
    long cpu = Math.max(0, THREADS.getCurrentThreadCpuTime());
    if (startNanos != 0) {
      scheduler.charge(cpu - startCpu, 0);
    }
    open(System.nanoTime(), cpu, allocated());
  }

  private void open(long now, long cpu, long allocated) {
    stampNanos = now;
    startNanos = now;
    startCpu = cpu;
    startBytes = allocated;
    INTERVAL.setRelease(this, interval + 1);
  }

  private static long allocated() {
    return Math.max(0, THREADS.getCurrentThreadAllocatedBytes());
  }

  /// Ends an interval that has expired even if the queue stays the same, because the charge
  /// determines the next queue to run.
  void look() {
    long now = System.nanoTime();
    if (now - startNanos >= INTERVAL_NANOS) {
      RunQueue last = current;
      change(scheduler);
      change(last);
    }
  }

  /// Records a change from one queue to another.
  void change(RunQueue next) {
    RunQueue last = current;
    if (last == next) {
      return;
    }
    long now = System.nanoTime();
    if (last.countsBytes()) {
      long used = allocated() - countedFrom;
      counted += used;
      last.charge(0, used);
    }
    note(last, now - stampNanos);
    stampNanos = now;
    CURRENT.setRelease(this, next);
    if (now - startNanos >= INTERVAL_NANOS || count == MOST) {
      close(now);
    }
    if (next.countsBytes()) {
      countedFrom = allocated();
    }
  }

  private void note(RunQueue queue, long took) {
    for (int i = 0; i < count; i++) {
      if (queues[i] == queue) {
        nanos[i] += took;
        return;
      }
    }
    queues[count] = queue;
    nanos[count] = took;
    count++;
  }

  /// Ends an interval before a wait. Otherwise the time of the wait would count as part of it.
  void close() {
    change(scheduler);
    close(System.nanoTime());
  }

  private void close(long now) {
    long cpu = Math.max(0, THREADS.getCurrentThreadCpuTime());
    long allocated = allocated();
    long usedNanos = cpu - startCpu;
    long usedBytes = allocated - startBytes - counted;
    counted = 0;
    long all = Math.max(1, now - startNanos);
    long sharers = all;
    for (int i = 0; i < count; i++) {
      RunQueue queue = queues[i];
      if (queue != null && queue.countsBytes()) {
        sharers -= nanos[i];
      }
    }
    long left = usedNanos;
    for (int i = 0; i < count; i++) {
      RunQueue queue = queues[i];
      if (queue == null) {
        continue;
      }
      long share = (long) (usedNanos * (nanos[i] / (double) all));
      long bytes =
          queue.countsBytes() ? 0 : (long) (usedBytes * (nanos[i] / (double) Math.max(1, sharers)));
      left -= share;
      queue.charge(share, bytes);
      queues[i] = null;
    }
    scheduler.charge(left, 0);
    count = 0;
    open(now, cpu, allocated);
  }

  /// Returns the queue of the running continuation, or that of the scheduler. Any thread may call.
  RunQueue current() {
    return (RunQueue) CURRENT.getAcquire(this);
  }

  /// Returns true if the worker has used processor time since the last call. Called by the watcher.
  boolean hasRun() {
    long cpu = THREADS.getThreadCpuTime(thread);
    boolean hasRun = cpu - seenCpu > INTERVAL_NANOS / 2;
    seenCpu = cpu;
    return hasRun;
  }

  /// Returns true if a continuation of the queue is running. Any thread may call.
  boolean runs(RunQueue queue) {
    return CURRENT.getAcquire(this) == queue;
  }

  /// Returns the resources used by a running queue in the open interval, in nanoseconds or bytes,
  /// or 0 if another queue is running. Any thread may call.
  long running(RunQueue queue, boolean inBytes) {
    if (CURRENT.getAcquire(this) != queue) {
      return 0;
    }
    long before = (long) INTERVAL.getAcquire(this);
    long start = inBytes ? startBytes : startCpu;
    long now = inBytes ? THREADS.getThreadAllocatedBytes(thread) : THREADS.getThreadCpuTime(thread);
    boolean isSame =
        (long) INTERVAL.getAcquire(this) == before && CURRENT.getAcquire(this) == queue;
    return isSame ? Math.max(0, now - start) : 0;
  }
}
