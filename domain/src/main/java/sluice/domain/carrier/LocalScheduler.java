package sluice.domain.carrier;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import sluice.domain.schedule.CallListener;
import sluice.domain.schedule.Cpu;
import sluice.domain.schedule.PreemptionListener;
import sluice.domain.schedule.ScheduledThread;
import sluice.domain.schedule.Scheduler;
import sluice.domain.schedule.SliceListener;
import sluice.sys.threads.VirtualThreads;

/// The host's side of a scheduler that is provided by a domain. It consists of the thread that runs
/// the scheduler and the queue of its events. Any thread may call.
///
/// ```
///  wake-up, on any thread ──► events ──► the scheduler's thread ── switchTo ──► ready of the queue
/// ```
///
/// The scheduler's thread is a virtual thread of the domain. It yields after it has selected a
/// thread. Its continuation is then stored in `idle`, from which a worker that finds events takes
/// it. Therefore a wake-up runs no code of the domain and wakes no second thread. `preempted` is
/// the only method that is called outside of that thread. The continuation is removed from `idle`
/// during this call, so the scheduler's methods exclude each other.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | events, idle, threads, waiting | any thread | atomic | atomic |
/// | isActive, the listeners, sliceNanos | the scheduler's thread | volatile | volatile |
/// | ended | the thread that ends the domain | volatile | volatile |
/// | isSliceOver | the watcher sets, the scheduler's thread clears | volatile | volatile |
/// | isOwed | the scheduler's thread, workers | volatile | volatile |
/// | woken, hasChosen | the scheduler's thread | plain | plain |
public final class LocalScheduler implements Cpu {
  private enum Kind {
    WOKEN,
    PREEMPTED,

    /// The scheduler has already been notified of the thread and only has to select it.
    HEARD,
    CALLING,
    CALLED
  }

  private record Event(Kind kind, Handle thread) {}

  /// Creates the scheduler object on the scheduler's thread, because this runs code of the domain.
  @FunctionalInterface
  public interface Maker {
    /// Creates the scheduler.
    ///
    /// @throws Exception if the class does not exist, or if a method that requires a bound has none
    Scheduler make() throws Exception;
  }

  private static final class Handle implements ScheduledThread {
    private final LocalScheduler owner;
    private final String name;
    private final AtomicReference<@Nullable Runnable> continuation = new AtomicReference<>();
    private @Nullable Object attachment;

    Handle(LocalScheduler owner, Thread thread) {
      this.owner = owner;
      name = thread.getName();
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public boolean isReady() {
      return continuation.get() != null;
    }

    @Override
    public @Nullable Object attachment() {
      return attachment;
    }

    @Override
    public void attach(@Nullable Object other) {
      attachment = other;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private final RunQueue queue;
  private final Maker maker;
  private final Thread thread;
  private final ConcurrentLinkedQueue<Event> events = new ConcurrentLinkedQueue<>();
  private final AtomicReference<@Nullable Runnable> idle = new AtomicReference<>();

  /// The handles of all threads, by continuation and by thread.
  private final Map<Object, Handle> threads = new ConcurrentHashMap<>();

  private final ArrayDeque<Handle> woken = new ArrayDeque<>();

  /// The number of threads that are ready but have not been selected.
  private final AtomicInteger waiting = new AtomicInteger();

  /// True if the scheduler has to select a thread again without an event, because threads are
  /// waiting and a processor is free.
  private volatile boolean isOwed;

  private volatile @Nullable PreemptionListener preemptions;
  private volatile @Nullable CallListener calls;
  private volatile @Nullable SliceListener slices;
  private volatile long sliceNanos = Long.MAX_VALUE;
  private volatile boolean isActive = true;
  private volatile boolean isSliceOver;
  private volatile boolean ended;
  private boolean hasChosen;

  LocalScheduler(RunQueue queue, Maker maker) {
    this.queue = queue;
    this.maker = maker;
    thread =
        VirtualThreads.on(this::ready)
            .name(queue + " scheduler")
            .inheritInheritableThreadLocals(false)
            .unstarted(this::run);
  }

  /// Returns the scheduler's thread, which has not been started.
  public Thread thread() {
    return thread;
  }

  /// Registers a virtual thread of the domain that is about to be started.
  public void starting(Thread started) {
    if (started == thread) {
      return;
    }
    Handle handle = new Handle(this, started);
    threads.put(VirtualThreads.continuation(started), handle);
    threads.put(started, handle);
  }

  /// Removes a thread that has terminated.
  public void ended(Thread gone) {
    if (threads.remove(gone) != null) {
      threads.remove(VirtualThreads.continuation(gone));
    }
  }

  /// Ends the scheduling. Called when the domain is terminated. From then on, its threads run
  /// without being selected until they reach a gate.
  public void end() {
    ended = true;
    for (Handle each : threads.values()) {
      Runnable left = take(each);
      if (left != null) {
        queue.add(left);
      }
    }
    queue.list();
    queue.wake(null);
  }

  private @Nullable Runnable take(Handle handle) {
    Runnable taken = handle.continuation.getAndSet(null);
    if (taken != null) {
      waiting.decrementAndGet();
    }
    return taken;
  }

  /// Schedules the scheduler's own thread.
  private void ready(Runnable continuation) {
    Worker here = Worker.current();
    if (here != null) {
      boolean _ = here.endsMakingRoom();
    }
    idle.set(continuation);
    if (isNeeded()) {
      queue.list();
      queue.wake(here);
    }
  }

  /// Returns true if the scheduler's thread has work to do and is not running.
  boolean isNeeded() {
    return idle.get() != null && (isActive || ended || isOwed || !events.isEmpty());
  }

  /// Records that a continuation of the queue has yielded or terminated.
  void left(Runnable continuation) {
    if (waiting.get() > 0 && threads.containsKey(continuation)) {
      isOwed = true;
      queue.list();
    }
  }

  /// Removes and returns the continuation of the scheduler's thread if it is needed; returns null
  /// otherwise.
  @Nullable Runnable takeIfNeeded() {
    return isNeeded() ? idle.getAndSet(null) : null;
  }

  /// Accepts a continuation that is ready.
  ///
  /// @param here the calling worker, or null
  /// @param isStopped true if the continuation was stopped by a gate
  /// @return false if the scheduler does not schedule it, because it is not a thread started by the
  ///   domain, or because it was handed over and calls are invisible to the scheduler
  boolean take(Runnable continuation, @Nullable Worker here, boolean isStopped) {
    Handle handle = ended ? null : threads.get(continuation);
    if (handle == null) {
      return false;
    }
    boolean isCall = here != null && here.isCalling();
    boolean isHandedOver = isCall || (here != null && here.isHandingOver());
    if (isHandedOver && !(isCall && hearsCalls())) {
      return false;
    }
    handle.continuation.set(continuation);
    waiting.incrementAndGet();
    boolean isSlice = isStopped && isSliceOver;
    if (isStopped && !isSlice && preempted(handle)) {
      queue.list();
      return true;
    }
    events.add(new Event(isCall ? Kind.CALLED : Kind.WOKEN, handle));
    if (ended) {
      end();
      return true;
    }
    if (here != null && isHandedOver && offer(here)) {
      return true;
    }
    queue.list();
    queue.wake(here);
    return true;
  }

  /// Makes the scheduler's thread run next on a worker.
  private boolean offer(Worker here) {
    Runnable own = idle.getAndSet(null);
    if (own == null) {
      return false;
    }
    boolean isDelayed = here.isCalling() && !here.isHandingOver();
    if (isDelayed ? here.runsLater(queue, own) : here.runsNext(queue, own)) {
      return true;
    }
    idle.set(own);
    return false;
  }

  boolean hearsCalls() {
    return calls != null;
  }

  /// Notifies the scheduler that the calling thread calls another domain, and allows the scheduler
  /// to run when the thread waits.
  void calling(Worker here) {
    Handle handle = threads.get(Thread.currentThread());
    if (handle != null) {
      events.add(new Event(Kind.CALLING, handle));
      if (!offer(here)) {
        queue.list();
        if (here.isLost()) { // else it looks when the thread waits, or its successor does
          queue.wake(null);
        }
      }
    }
  }

  /// Checks the time slice. Called by the watcher.
  ///
  /// @param nanos the time for which a thread has run
  /// @return true if the thread must be stopped
  boolean endsSlice(long nanos) {
    boolean isOver = nanos >= sliceNanos;
    isSliceOver |= isOver;
    return isOver;
  }

  /// Notifies a scheduler that listens for preemptions, either immediately if its thread is not
  /// running, or with an event.
  ///
  /// @return false if it does not listen for preemptions
  private boolean preempted(Handle handle) {
    PreemptionListener listener = preemptions;
    if (listener == null) {
      return false;
    }
    Runnable own = idle.getAndSet(null);
    if (own == null) {
      events.add(new Event(Kind.PREEMPTED, handle));
      return true;
    }
    try {
      listener.preempted(handle);
      events.add(new Event(Kind.HEARD, handle));
    } catch (Throwable e) { // code of the domain
      queue.failed(e);
    } finally {
      idle.set(own);
    }
    return true;
  }

  private void run() {
    try {
      Scheduler made = maker.make();
      preemptions = made instanceof PreemptionListener listener ? listener : null;
      calls = made instanceof CallListener listener ? listener : null;
      if (made instanceof SliceListener listener) {
        slices = listener;
        sliceNanos = Math.max(1, listener.sliceNanos());
      }
      while (!ended) {
        isActive = false;
        rest();
        isActive = true;
        choose(made);
      }
    } catch (Throwable e) { // code of the domain
      if (!ended) {
        queue.failed(e);
      }
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // until there are events
  private static void rest() {
    Thread.yield();
  }

  private void choose(Scheduler of) {
    isOwed = false;
    hasChosen = false;
    for (Event each = events.poll(); each != null; each = events.poll()) {
      Handle about = each.thread();
      switch (each.kind()) {
        case WOKEN -> woken.add(about);
        case HEARD -> {}
        case PREEMPTED -> hear(preemptions, about);
        case CALLING -> {
          CallListener listener = calls;
          if (listener != null) {
            listener.calling(about);
          }
        }
        case CALLED -> {
          CallListener listener = calls;
          if (listener == null) {
            woken.add(about);
          } else {
            listener.called(about);
          }
        }
      }
    }
    SliceListener listener = slices;
    if (isSliceOver && listener != null) {
      isSliceOver = false;
      listener.interrupted(this);
    } else {
      of.activated(this);
    }
    // If another processor is free, the scheduler may select another thread for it.
    isOwed |= hasChosen && waiting.get() > 0;
  }

  private void hear(@Nullable PreemptionListener listener, Handle about) {
    if (listener != null) {
      listener.preempted(about);
    }
  }

  @Override
  public @Nullable ScheduledThread woken() {
    require();
    return woken.poll();
  }

  @Override
  public void switchTo(ScheduledThread next) {
    require();
    Runnable continuation =
        next instanceof Handle handle && handle.owner == this ? take(handle) : null;
    if (continuation == null) {
      throw new IllegalArgumentException(
          "thread "
              + next
              + " cannot run. Why: it is not ready, or another domain's. Fix: choose"
              + " it once, after Cpu.woken has given it");
    }
    hasChosen = true;
    Worker here = Worker.current();
    if (here == null || !here.runsNext(queue, continuation)) {
      queue.add(continuation);
    }
  }

  @Override
  public @Nullable ScheduledThread of(Thread of) {
    return threads.get(of);
  }

  private void require() {
    if (Thread.currentThread() != thread) {
      throw new IllegalStateException(
          "a processor is used by "
              + Thread.currentThread().getName()
              + ". Why: only the"
              + " scheduler's thread chooses. Fix: use it in activated");
    }
  }
}
