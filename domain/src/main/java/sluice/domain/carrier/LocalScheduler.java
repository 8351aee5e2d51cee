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

/// The scheduler that a domain has brought, with the thread that runs it and the events that it has
/// not heard. Any thread may call.
///
/// ```
///  wake-up, on any thread ──► events ──► the scheduler's thread ── switchTo ──► ready of the queue
/// ```
///
/// The scheduler's thread is a virtual thread of the domain. It yields when it has chosen: its
/// continuation stands in `idle` then, and a worker that finds events takes it from there. So a
/// wake-up runs no code of the domain and wakes no second thread. The one call outside of that
/// thread, `preempted`, takes the continuation from `idle` for as long: the scheduler's methods
/// exclude each other.
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

    /// It has heard of the thread, and is to choose.
    HEARD,
    CALLING,
    CALLED
  }

  private record Event(Kind kind, Handle thread) {}

  /// Makes the scheduler's object, on its thread: by code of the domain.
  @FunctionalInterface
  public interface Maker {
    /// @throws Exception if there is no such class, or a method that needs a bound has none
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

  /// By continuation, and by thread.
  private final Map<Object, Handle> threads = new ConcurrentHashMap<>();

  private final ArrayDeque<Handle> woken = new ArrayDeque<>();

  /// How many threads are ready and not chosen.
  private final AtomicInteger waiting = new AtomicInteger();

  /// Whether it is to choose again, though there is no event: threads wait, and a processor is
  /// free.
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

  /// Returns the scheduler's thread, not started.
  public Thread thread() {
    return thread;
  }

  /// Notes a virtual thread of the domain that is about to start.
  public void starting(Thread started) {
    if (started == thread) {
      return;
    }
    Handle handle = new Handle(this, started);
    threads.put(VirtualThreads.continuation(started), handle);
    threads.put(started, handle);
  }

  /// Forgets a thread that has ended.
  public void ended(Thread gone) {
    if (threads.remove(gone) != null) {
      threads.remove(VirtualThreads.continuation(gone));
    }
  }

  /// Called at the end of the domain: its threads run by no choice, until they come to a gate.
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

  /// The scheduler of the scheduler's thread.
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

  /// Returns true if the scheduler's thread has something to do and does not run.
  boolean isNeeded() {
    return idle.get() != null && (isActive || ended || isOwed || !events.isEmpty());
  }

  /// Told that a continuation of the queue has come back.
  void left(Runnable continuation) {
    if (waiting.get() > 0 && threads.containsKey(continuation)) {
      isOwed = true;
      queue.list();
    }
  }

  /// Takes the continuation of the scheduler's thread, or null.
  @Nullable Runnable takeIfNeeded() {
    return isNeeded() ? idle.getAndSet(null) : null;
  }

  /// Takes a continuation that is ready.
  ///
  /// @param here the worker on which this is called, or null
  /// @param isStopped whether a gate has stopped it
  /// @return false if the scheduler has no say: it is none of the domain's own threads, or is
  ///   handed over and calls are invisible
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

  /// Has the scheduler's thread run next on a worker.
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

  /// Tells that the calling thread calls another domain, and has the scheduler run when it waits.
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

  /// Called by the watcher.
  ///
  /// @param nanos for how long a thread has run
  /// @return whether it is to be stopped
  boolean endsSlice(long nanos) {
    boolean isOver = nanos >= sliceNanos;
    isSliceOver |= isOver;
    return isOver;
  }

  /// Tells a scheduler that asks for it, if its thread does not run.
  ///
  /// @return false if it does not ask
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
    // Where another processor is free, it may choose another thread there.
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
