package sluice.domain.carrier;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
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
/// | isEntered, first | workers | atomic | atomic |
/// | turnNanos | any thread | volatile | volatile, under the lock of the list |
/// | askedNanos, refusedNanos | threads that ask | volatile | volatile |
/// | creditNanos | any thread | under the lock of the list | under the lock of the list |
public final class RunQueue implements Executor, TurnList.Entry {
  /// So much a queue that had nothing to run may be ahead of the others.
  private static final long CREDIT_NANOS = 4_000_000;

  /// A thread that has used a processor for longer than this since it was asked, and did not yield,
  /// does not come to a gate.
  private static final long REFUSED_NANOS = 1_000_000;

  /// For so long it is remembered that a thread did not yield.
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

  /// Of a cooperative queue, whether a continuation runs.
  private final AtomicBoolean isEntered = new AtomicBoolean();

  /// Of a cooperative queue, the continuation that has made room and runs before others.
  private final AtomicReference<@Nullable Runnable> first = new AtomicReference<>();

  /// Where the queue stands in the list of those with ready threads, or stood last.
  private volatile long turnNanos;

  /// When one of the threads was last asked to yield, after the request before was answered.
  private volatile long askedNanos;

  /// When it was last found that none had; 0 if never.
  private volatile long refusedNanos;

  /// By which it stands behind what it has used, because it had nothing to run.
  private long creditNanos;

  /// The domain that has a queue. The methods are called on threads that all domains need, so they
  /// neither run code of the domain nor wait for it.
  public interface Guest {
    /// Told what a handler of uncaught exceptions has thrown, on a carrier.
    void escaped(Throwable problem);

    /// Told while another thread waits for a processor, and a thread of the domain has run for some
    /// milliseconds, or the domain has used more: one of those that run is to yield soon. Called by
    /// the watcher, and by any thread that wakes another.
    default void yieldSoon() {}

    /// Returns true if none of them has yielded since. Called by the threads that ask.
    default boolean isToYield() {
      return false;
    }

    /// Told that the scheduler of the domain has thrown, or cannot be made: the domain is to end.
    default void schedulerFailed(Throwable problem) {}
  }

  RunQueue(Carriers carriers, String name, QueueTerms terms, Guest guest) {
    this.carriers = carriers;
    this.name = name;
    this.terms = terms;
    isPinned = !terms.cpus().isEmpty();
    this.guest = guest;
  }

  /// Gives the queue a scheduler of its domain. Called once, before the first thread starts.
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

  /// Wakes an idle processor, unless the worker on which this is called looks itself soon.
  void wake(@Nullable Worker here) {
    if (here == null || !here.looksSoonFor(this)) {
      carriers.wake(this);
    }
  }

  /// Builds virtual threads that run here.
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

  /// Adds a continuation, and wakes no carrier.
  void add(Runnable continuation) {
    ready.add(continuation);
    list();
  }

  /// Puts the queue behind those that have used less of processors for their weight. A queue that
  /// had nothing to run keeps what it has not used for a moment only.
  ///
  /// @param now where the list stands
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

  /// Takes a continuation, and enters. Called by a worker that has taken this queue from the list,
  /// which calls [#leave] then.
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

  /// Begins to run a continuation that was not polled.
  ///
  /// @return false if it is to wait: another one of a cooperative queue runs, or has made room
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

  /// Ends a continuation, which has come back.
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

  /// Returns true if the others in the list are none but this queue, which chooses itself when its
  /// threads make room for each other.
  boolean isAlone(TurnList<RunQueue> turns) {
    return local != null && isListed.get() && turns.hasOne();
  }

  /// Called by the watcher.
  ///
  /// @param nanos for how long a thread has run
  /// @return whether the domain's scheduler wants it stopped
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

  /// Tells what a continuation threw to its carrier: a handler of uncaught exceptions did.
  void escaped(Throwable problem) {
    guest.escaped(problem);
  }

  /// Has one of the threads that run yield soon.
  ///
  /// @param hasRun whether one has used a processor for long enough since the last request
  void yieldSoon(boolean hasRun) {
    long now = System.nanoTime();
    if (!guest.isToYield()) {
      askedNanos = now;
    } else if (hasRun && now - askedNanos > REFUSED_NANOS) {
      refusedNanos = now | 1;
    }
    guest.yieldSoon();
  }

  /// Returns true if threads of the queue did not yield lately when they were asked.
  boolean isStubborn() {
    long at = refusedNanos;
    return at != 0 && System.nanoTime() - at < STUBBORN_NANOS;
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
