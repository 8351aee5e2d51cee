package sluice.domain.carrier;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.sys.threads.Affinity;
import sluice.sys.threads.HostThread;
import sluice.sys.threads.TimeSlice;
import sluice.sys.threads.VirtualThreads;

/// A platform thread that runs continuations while it has a [Processor], and else waits for one.
///
/// A continuation that does not come back (a class initializer, a native frame, a read of a FIFO)
/// loses it the processor. When it comes back at last, the worker is a spare one.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | isLost | the watcher | volatile | volatile |
/// | given | the watcher sets, the worker clears | volatile | volatile |
/// | givenState | the watcher, before given | plain, after given | plain |
/// | turns | the worker | opaque | opaque |
/// | isHandingOver, isCalling, isMakingRoom, bound, state | the worker | plain | plain |
final class Worker extends Thread {
  /// After so many continuations that were handed over, one of the list comes first, if there is
  /// one.
  private static final int MOST_HANDED = 64;

  /// A spare worker that gets no processor for so long ends.
  private static final long SPARE_NANOS = 10_000_000_000L;

  private static final VarHandle TURNS;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TURNS = lookup.findVarHandle(Worker.class, "turns", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Carriers carriers;
  private final Meter meter;
  private Processor processor;
  private long state;
  private long turns;
  private boolean isHandingOver;
  private boolean isCalling;
  private boolean isMakingRoom;
  private @Nullable Processor bound;

  /// Handed over, or chosen by a scheduler of a domain.
  private final Slot<RunQueue> next;

  /// Called by a thread whose scheduler chooses what runs before.
  private final Slot<RunQueue> later;

  private volatile boolean isLost;
  private volatile int threadNumber;
  private long givenState;
  private volatile @Nullable Processor given;

  /// Has the first processor that it gets, at its start.
  Worker(Carriers carriers, String name, Processor processor, long state) {
    super(HostThread.group(), null, name, 0, false);
    this.carriers = carriers;
    this.processor = processor;
    this.state = state;
    meter = new Meter(carriers.own(), threadId());
    next = new Slot<>(carriers.own());
    later = new Slot<>(carriers.own());
    setDaemon(true);
  }

  /// Returns the worker that carries the calling thread, or is it; null if there is none.
  static @Nullable Worker current() {
    return VirtualThreads.carrier() instanceof Worker worker ? worker : null;
  }

  Meter meter() {
    return meter;
  }

  /// Wakes a thread for which the calling one is about to wait: its continuation runs next, on this
  /// worker, and no other processor is woken for it.
  void handOver(Thread thread) {
    isHandingOver = true;
    try {
      LockSupport.unpark(thread);
    } finally {
      isHandingOver = false;
    }
  }

  /// Has the virtual thread that it carries make room for other queues.
  @SuppressWarnings("ThreadPriorityCheck") // the watcher has asked for it
  void makeRoom() {
    isMakingRoom = true;
    Thread.yield();
    // Pinned, it has stayed; else the thread may be on another worker, and this one has cleared it.
    if (current() == this) {
      isMakingRoom = false;
    }
  }

  /// Returns true if the continuation that comes back has made room. Called on the worker.
  boolean endsMakingRoom() {
    boolean was = isMakingRoom;
    isMakingRoom = false;
    return was;
  }

  /// As [#handOver], for a thread that runs a service which the calling one calls. Where the domain
  /// of the caller has a scheduler that asks for calls, that chooses what runs next.
  void call(Thread thread) {
    LocalScheduler own = meter.current().local();
    boolean isHeard = own != null && own.hearsCalls();
    isCalling = true;
    isHandingOver = !isHeard;
    try {
      LockSupport.unpark(thread);
    } finally {
      isCalling = false;
      isHandingOver = false;
    }
    if (own != null && isHeard) {
      own.calling(this);
    }
  }

  /// Returns true if the worker takes what is ready of a queue as soon as the calling thread, which
  /// it is or carries, goes on: no other one need be woken. One without a processor takes nothing;
  /// if it loses it after this, its successor looks. Where a thread yields that has handed over, it
  /// does not: what was handed over runs first.
  boolean looksSoonFor(RunQueue queue) {
    return !isLost()
        && queue.mayRunOn(processor.index())
        && ((Thread.currentThread() == this && !hasNext()) || (isCalling && !isHandingOver));
  }

  boolean isCalling() {
    return isCalling;
  }

  boolean isHandingOver() {
    return isHandingOver;
  }

  /// Takes a continuation that is to run next.
  ///
  /// @return false if it belongs into its queue
  boolean runsNext(RunQueue queue, Runnable continuation) {
    return mayRun(queue) && next.put(queue, continuation);
  }

  private boolean mayRun(RunQueue queue) {
    return queue.isOf(carriers) && queue.mayRunOn(processor.index()) && !isLost;
  }

  /// Takes a continuation that a call has made ready while the scheduler of the caller's domain is
  /// to choose what runs before.
  ///
  /// @return false if it belongs into its queue
  boolean runsLater(RunQueue queue, Runnable continuation) {
    boolean isDelayed = isCalling && !isHandingOver;
    return isDelayed && mayRun(queue) && later.put(queue, continuation);
  }

  boolean hasNext() {
    return !next.isEmpty() || !later.isEmpty();
  }

  /// Puts what was handed over into its queue. Called by the watcher once the worker is lost, and
  /// by the worker.
  void giveNextBack() {
    giveBack(next);
    giveBack(later);
  }

  private void giveBack(Slot<RunQueue> slot) {
    Runnable waiting = slot.take();
    if (waiting != null) {
      slot.taken().add(waiting);
      carriers.wake();
    }
  }

  void lose() {
    isLost = true;
    int _ = TimeSlice.set(threadNumber, TimeSlice.LONGEST_NANOS);
    LockSupport.unpark(this);
  }

  boolean isLost() {
    return isLost;
  }

  /// Gives a spare worker a processor, in a state that no other worker knows.
  void take(Processor free, long freeState) {
    int _ = TimeSlice.set(threadNumber, TimeSlice.DEFAULT_NANOS);
    givenState = freeState;
    isLost = false; // by the watcher alone: the worker could clear what is set again meanwhile
    given = free;
    LockSupport.unpark(this);
  }

  @Override
  public void run() {
    threadNumber = TimeSlice.threadNumber();
    meter.begin();
    carriers.watch();
    int handed = 0;
    while (!carriers.hasEnded()) {
      try {
        keepToProcessor();
        boolean mayRunNext = handed < MOST_HANDED || carriers.turns().isEmpty(processor.index());
        handed = mayRunNext && runNext() ? handed + 1 : 0;
        if (handed == 0 && !runListed()) {
          await();
        }
        TURNS.setOpaque(this, turns + 1);
        // The continuation that ran last may have cost the worker its processor.
        if (processor.state() != state && !awaitProcessor()) {
          return;
        }
      } catch (Throwable e) { // an Error of the JVM, as one for want of memory
        carriers.failed(e);
      }
    }
  }

  /// Counts the continuations that came back. Any thread may call.
  long turns() {
    return (long) TURNS.getOpaque(this);
  }

  private void keepToProcessor() {
    if (carriers.isPinning() && bound != processor && processor.cpu() != Processor.NO_CPU) {
      bound = processor;
      int _ = Affinity.bind(processor.cpu()); // which the process may have lost meanwhile
    }
  }

  private boolean runNext() {
    Slot<RunQueue> slot = next.isEmpty() ? later : next;
    Runnable task = slot.take();
    if (task == null) {
      return false;
    }
    RunQueue queue = slot.taken();
    if (!queue.enterFresh()) {
      queue.add(task);
      return false;
    }
    run(queue, task);
    return true;
  }

  private boolean runListed() {
    giveNextBack();
    meter.look();
    RunQueue queue = carriers.turns().take(processor.index());
    if (queue == null) {
      return false;
    }
    Runnable task = queue.poll();
    carriers.wake();
    if (task != null) {
      run(queue, task);
    }
    return true;
  }

  private void run(RunQueue queue, Runnable task) {
    meter.change(queue);
    try {
      task.run();
    } catch (Throwable e) { // of a handler of uncaught exceptions
      meter.change(carriers.own());
      queue.escaped(e);
    } finally {
      queue.leave(task, this);
    }
  }

  /// Waits for work.
  private void await() {
    long resting = processor.rest(state);
    if (resting < 0) {
      return;
    }
    state = resting;
    meter.close();
    if (carriers.turns().isEmpty(processor.index()) && !carriers.hasEnded()) {
      while (processor.state() == resting && !isLost && !carriers.hasEnded()) {
        LockSupport.park(processor);
        boolean _ = Thread.interrupted();
      }
    } else {
      processor.resume(resting); // unless another thread has, or it is another worker's by now
    }
    state = resting + 1;
    meter.begin();
    carriers.watch();
  }

  /// Waits as a spare worker.
  ///
  /// @return false if it is not needed
  private boolean awaitProcessor() {
    giveNextBack();
    meter.close();
    carriers.spare(this);
    long since = System.nanoTime();
    Processor free = given;
    while (free == null) {
      boolean isLate = System.nanoTime() - since > SPARE_NANOS;
      if ((isLate || carriers.hasEnded()) && carriers.dismiss(this)) {
        return false;
      }
      LockSupport.parkNanos(this, SPARE_NANOS);
      boolean _ = Thread.interrupted();
      free = given;
    }
    given = null;
    processor = free;
    state = givenState;
    meter.begin();
    return true;
  }
}
