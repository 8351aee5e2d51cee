package sluice.domain.carrier;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import sluice.sys.threads.VirtualThreads;

/// The ready virtual threads of one domain, and the account of the processor time and bytes used by
/// its threads. Any thread may call.
///
/// `execute` is called by the thread that wakes a thread of the queue, which may be a thread of the
/// JDK. It adds the continuation to the queue, wakes an idle carrier, and runs no code of a domain.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | ready, isListed, cpuNanos, bytes | any thread | atomic | atomic |
/// | isEntered, first | workers | atomic | atomic |
/// | turnNanos | any thread | volatile | volatile, under the lock of the list |
/// | askedNanos, refusedNanos | threads that ask | volatile | volatile |
/// | creditNanos | any thread | under the lock of the list | under the lock of the list |
public final class RunQueue implements Executor, TurnList.Entry {
  /// The maximum lead over the others for a queue that had nothing to run.
  private static final long CREDIT_NANOS = 4_000_000;

  /// The processor time after a request to yield within which a thread normally reaches a gate. A
  /// thread that has used more time without yielding does not reach one.
  private static final long REFUSED_NANOS = 1_000_000;

  /// The time for which the failure of a thread to yield is remembered.
  private static final long STUBBORN_NANOS = 1_000_000_000;

  private final Carriers carriers;
  private final String name;
  private final QueueTerms terms;
  private final boolean isPinned;
  private final Guest guest;
  private final ConcurrentLinkedQueue<Runnable> ready = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean isListed = new AtomicBoolean();
  private final AtomicLong cpuNanos = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private volatile @Nullable LocalScheduler local;

  /// True if a continuation of a cooperative queue is running.
  private final AtomicBoolean isEntered = new AtomicBoolean();

  /// The continuation of a cooperative queue that has yielded to another queue and continues before
  /// others.
  private final AtomicReference<@Nullable Runnable> first = new AtomicReference<>();

  /// The current or most recent position of this queue in the list of queues with ready threads.
  private volatile long turnNanos;

  /// The time of the first request to yield that has not been fulfilled.
  private volatile long askedNanos;

  /// The time at which it was last detected that no thread had yielded, or 0 for never.
  private volatile long refusedNanos;

  /// The amount by which the queue's position is behind its use, because it had nothing to run.
  private long creditNanos;

  /// The domain that owns a queue. Its methods are called on threads that are shared by all
  /// domains, so they must neither run code of the domain nor wait for it.
  public interface Guest {
    /// Reports an exception thrown by a handler of uncaught exceptions. Called on a carrier.
    void escaped(Throwable problem);

    /// Requests one of the running threads of the domain to yield soon, because another thread is
    /// waiting for a processor, and a thread of the domain has run for some milliseconds or the
    /// domain has used more processor time. Called by the watcher and by any thread that wakes
    /// another one.
    default void yieldSoon() {}

    /// Returns true if no thread of the domain has yielded since the request. Called by the
    /// requesting threads.
    default boolean isToYield() {
      return false;
    }

    /// Reports that the scheduler of the domain has thrown an exception or cannot be created. The
    /// domain must then be terminated.
    default void schedulerFailed(Throwable problem) {}
  }

  RunQueue(Carriers carriers, String name, QueueTerms terms, Guest guest) {
    this.carriers = carriers;
    this.name = name;
    this.terms = terms;
    isPinned = !terms.cpus().isEmpty();
    this.guest = guest;
  }

  /// Sets a scheduler of the domain. Called once, before the first thread starts.
  public LocalScheduler scheduleBy(LocalScheduler.Maker maker) {
    LocalScheduler made = new LocalScheduler(this, maker);
    local = made;
    return made;
  }

  @Nullable LocalScheduler local() {
    return local;
  }

  void failed(Throwable problem) {
    guest.schedulerFailed(problem);
  }

  /// Wakes an idle processor, unless the calling worker is about to check the queue itself.
  void wake(@Nullable Worker here) {
    if (here == null || !here.looksSoonFor(this)) {
      carriers.wake(this);
    }
  }

  /// Returns a builder of virtual threads that run on this queue.
  public Thread.Builder.OfVirtual threads() {
    return VirtualThreads.on(this);
  }

  @Override
  public void execute(Runnable continuation) {
    Worker here = Worker.current();
    boolean hasMadeRoom = here != null && here.endsMakingRoom();
    if (hasMadeRoom && terms.isCooperative()) {
      first.set(continuation);
      return; // it has not left the queue yet
    }
    LocalScheduler by = local;
    if (by != null && by.take(continuation, here, hasMadeRoom)) {
      return;
    }
    if (here != null
        && (here.isHandingOver()
            ? here.runsNext(this, continuation)
            : here.runsLater(this, continuation))) {
      return;
    }
    add(continuation);
    wake(here);
  }

  /// Adds a continuation without waking a carrier.
  void add(Runnable continuation) {
    ready.add(continuation);
    list();
  }

  /// Positions the queue after the queues that have used less processor time in relation to their
  /// weight. A queue that had nothing to run keeps only a short lead.
  ///
  /// @param now the current position of the list
  @Override
  public void stand(long now) {
    long used = cpuNanos.get() / terms.weight();
    long turn = Math.max(used + creditNanos, now - CREDIT_NANOS);
    creditNanos = turn - used;
    turnNanos = turn;
  }

  @Override
  public long turnNanos() {
    return turnNanos;
  }

  void list() {
    if (isListed.compareAndSet(false, true)) {
      carriers.turns().add(this);
    }
  }

  /// Removes a continuation and enters the queue. Called by a worker that has removed this queue
  /// from the list and must call [#leave] afterwards.
  ///
  /// @return the continuation, or null if there is nothing to run
  @Nullable Runnable poll() {
    isListed.set(false);
    if (!enter()) {
      return null;
    }
    Runnable next = terms.isCooperative() ? first.getAndSet(null) : null;
    LocalScheduler by = local;
    next = next == null ? ready.poll() : next;
    next = next == null && by != null ? by.takeIfNeeded() : next;
    if (next == null) {
      leave();
    } else if (!terms.isCooperative() && isReady()) {
      list();
    }
    return next;
  }

  /// Enters the queue to run a continuation that was not polled.
  ///
  /// @return false if it has to wait, because another continuation of a cooperative queue is
  ///   running or has yielded to another queue
  boolean enterFresh() {
    if (!enter()) {
      return false;
    }
    if (first.get() != null) {
      leave();
      return false;
    }
    return true;
  }

  private boolean enter() {
    return !terms.isCooperative() || isEntered.compareAndSet(false, true);
  }

  /// Leaves the queue after a continuation has yielded or terminated.
  ///
  /// @param here the worker that has run it
  void leave(Runnable continuation, Worker here) {
    LocalScheduler by = local;
    if (by != null) {
      by.left(continuation);
    }
    leave();
    if ((by != null || terms.isCooperative()) && isListed.get()) {
      wake(here); // it may have a continuation that was handed over, which comes first
    }
  }

  private void leave() {
    if (terms.isCooperative()) {
      isEntered.set(false);
      if (first.get() != null || isReady()) {
        list();
      }
    }
  }

  boolean isReady() {
    LocalScheduler by = local;
    return !ready.isEmpty() || (by != null && by.isNeeded());
  }

  /// Returns true if no other queue is listed. In this case, the scheduler of this queue decides
  /// when its threads yield to each other.
  boolean isAlone(TurnList<RunQueue> turns) {
    return local != null && isListed.get() && turns.hasOne();
  }

  /// Checks the time slice. Called by the watcher.
  ///
  /// @param nanos the time for which a thread has run
  /// @return true if the domain's scheduler requires the thread to be stopped
  boolean endsSlice(long nanos) {
    LocalScheduler by = local;
    return by != null && !terms.isCooperative() && by.endsSlice(nanos);
  }

  @Override
  public boolean isPinned() {
    return isPinned;
  }

  @Override
  public boolean mayRunOn(int processor) {
    return !isPinned || carriers.mayRunOn(processor, terms.cpus());
  }

  boolean isOf(Carriers other) {
    return carriers == other;
  }

  boolean countsBytes() {
    return terms.countsBytes();
  }

  void charge(long nanos, long allocated) {
    cpuNanos.addAndGet(nanos);
    bytes.addAndGet(allocated);
  }

  /// Reports an exception that a continuation has thrown to its carrier. The exception originates
  /// from a handler of uncaught exceptions.
  void escaped(Throwable problem) {
    guest.escaped(problem);
  }

  /// Requests one of the running threads to yield soon.
  ///
  /// @param hasRun true if a thread has used a processor for long enough since the last request
  void yieldSoon(boolean hasRun) {
    long now = System.nanoTime();
    if (!guest.isToYield()) {
      askedNanos = now;
    } else if (hasRun && now - askedNanos > REFUSED_NANOS) {
      refusedNanos = now | 1;
    }
    guest.yieldSoon();
  }

  /// Returns true if threads of the queue have recently failed to yield when requested.
  boolean isStubborn() {
    long at = refusedNanos;
    return at != 0 && System.nanoTime() - at < STUBBORN_NANOS;
  }

  /// Returns the processor time of the queue's threads in nanoseconds. The time of a running thread
  /// is included, with an error of at most two milliseconds. The sum over all queues, including the
  /// carriers' own queue, is the processor time of the carriers.
  public long cpuNanos() {
    return carriers.running(this, false) + cpuNanos.get();
  }

  /// Returns the number of bytes allocated by the queue's threads. The value is exact if the queue
  /// counts them. Otherwise it is a share, by time, of the bytes that several queues have allocated
  /// within a millisecond.
  public long allocatedBytes() {
    return carriers.running(this, true) + bytes.get();
  }

  @Override
  public String toString() {
    return name;
  }
}
