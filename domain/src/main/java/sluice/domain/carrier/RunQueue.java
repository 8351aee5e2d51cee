package sluice.domain.carrier;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import sluice.sys.threads.VirtualThreads;

/// The virtual threads of one domain that are ready to run, and what those that ran have used. Any
/// thread may call.
///
/// `execute` is called by whatever thread wakes one of them, also by threads of the JDK: it puts
/// the continuation into the queue, wakes a carrier that is idle, and runs no code of a domain.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | ready, isListed, cpuNanos, bytes | any thread | atomic | atomic |
/// | turnNanos, creditNanos | any thread | under the lock of the list | under the lock of the list |
public final class RunQueue implements Executor {
  /// So much a queue that had nothing to run may be ahead of the others.
  private static final long CREDIT_NANOS = 4_000_000;

  private final Carriers carriers;
  private final String name;
  private final boolean countsBytes;
  private final Guest guest;
  private final ConcurrentLinkedQueue<Runnable> ready = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean isListed = new AtomicBoolean();
  private final AtomicLong cpuNanos = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final int weight;

  /// Where the queue stands in the list of those with ready threads; under the lock of the list.
  private long turnNanos;

  /// By which it stands behind what it has used, because it had nothing to run.
  private long creditNanos;

  /// The domain that has a queue. The methods are called on threads that all domains need, so they
  /// neither run code of the domain nor wait for it.
  public interface Guest {
    /// Told what a handler of uncaught exceptions has thrown, on a carrier.
    void escaped(Throwable problem);

    /// Told while a thread of the domain has run for some milliseconds and another thread waits for
    /// a processor: one of those that run is to yield soon.
    default void yieldSoon() {}
  }

  RunQueue(Carriers carriers, String name, int weight, boolean countsBytes, Guest guest) {
    this.carriers = carriers;
    this.name = name;
    this.weight = weight;
    this.countsBytes = countsBytes;
    this.guest = guest;
  }

  /// Builds virtual threads that run here.
  public Thread.Builder.OfVirtual threads() {
    return VirtualThreads.on(this);
  }

  @Override
  public void execute(Runnable continuation) {
    Worker here = Worker.current();
    if (here != null && here.takesNext(this, continuation)) {
      return;
    }
    add(continuation);
    // A thread that yields calls this on its worker, which looks into the list next.
    if (Thread.currentThread() != here) {
      carriers.wake();
    }
  }

  /// Adds a continuation, and wakes no carrier.
  void add(Runnable continuation) {
    ready.add(continuation);
    list();
  }

  /// Puts the queue behind those that have used less of processors for their weight. A queue that
  /// had nothing to run keeps what it has not used for a moment only.
  ///
  /// @param now where the list stands
  void stand(long now) {
    turnNanos = Math.max(cpuNanos.get() / weight + creditNanos, now - CREDIT_NANOS);
    creditNanos = turnNanos - cpuNanos.get() / weight;
  }

  long turnNanos() {
    return turnNanos;
  }

  private void list() {
    if (isListed.compareAndSet(false, true)) {
      carriers.list(this);
    }
  }

  /// Takes a continuation. Called by a worker that has taken this queue from the list.
  @Nullable Runnable poll() {
    isListed.set(false);
    Runnable next = ready.poll();
    if (!ready.isEmpty()) {
      list();
    }
    return next;
  }

  boolean isOf(Carriers other) {
    return carriers == other;
  }

  boolean countsBytes() {
    return countsBytes;
  }

  void charge(long nanos, long allocated) {
    cpuNanos.addAndGet(nanos);
    bytes.addAndGet(allocated);
  }

  /// Tells what a continuation threw to its carrier: a handler of uncaught exceptions did.
  void escaped(Throwable problem) {
    guest.escaped(problem);
  }

  void yieldSoon() {
    guest.yieldSoon();
  }

  /// Returns the processor time of its threads in nanoseconds. That of a thread that runs now is in
  /// it, to within two milliseconds; the sum over all queues and the carriers themselves is the
  /// processor time of the carriers.
  public long cpuNanos() {
    return carriers.running(this, false) + cpuNanos.get();
  }

  /// Returns the bytes that its threads have allocated: exactly if it was made to count them, else
  /// a share by time of what several queues have allocated within a millisecond.
  public long allocatedBytes() {
    return carriers.running(this, true) + bytes.get();
  }

  @Override
  public String toString() {
    return name;
  }
}
