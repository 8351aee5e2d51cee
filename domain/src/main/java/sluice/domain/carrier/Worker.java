package sluice.domain.carrier;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.sys.threads.HostThread;
import sluice.sys.threads.VirtualThreads;

/// A platform thread that runs continuations while it has a [Processor], and else waits for one.
///
/// A continuation that does not come back (a class initializer, a native frame, a read of a FIFO)
/// loses it the processor. When it comes back at last, the worker is a spare one.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | next | the worker; the watcher, once the worker is lost | volatile | release; compareAndSet to null |
/// | nextQueue | the worker, before next | plain, after next | plain |
/// | isLost | the watcher sets, the worker clears | volatile | volatile |
/// | given | the watcher sets, the worker clears | volatile | volatile |
/// | givenState | the watcher, before given | plain, after given | plain |
/// | turns | the worker | opaque | opaque |
/// | isHandingOver, state | the worker | plain | plain |
final class Worker extends Thread {
  /// After so many continuations that were handed over, one of the list comes first, if there is
  /// one.
  private static final int MOST_HANDED = 64;

  /// A spare worker that gets no processor for so long ends.
  private static final long SPARE_NANOS = 10_000_000_000L;

  private static final VarHandle NEXT;
  private static final VarHandle TURNS;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      NEXT = lookup.findVarHandle(Worker.class, "next", Runnable.class);
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
  private RunQueue nextQueue;
  private volatile @Nullable Runnable next;
  private volatile boolean isLost;
  private long givenState;
  private volatile @Nullable Processor given;

  /// Has the first processor that it gets, at its start.
  Worker(Carriers carriers, String name, Processor processor, long state) {
    super(HostThread.group(), null, name, 0, false);
    this.carriers = carriers;
    this.processor = processor;
    this.state = state;
    meter = new Meter(carriers.own(), threadId());
    nextQueue = carriers.own();
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

  /// Takes a continuation that is handed over.
  ///
  /// @return false if it belongs into its queue
  boolean takesNext(RunQueue queue, Runnable continuation) {
    if (!isHandingOver || !queue.isOf(carriers) || next != null || isLost) {
      return false;
    }
    nextQueue = queue;
    NEXT.setRelease(this, continuation);
    return true;
  }

  boolean hasNext() {
    return next != null;
  }

  /// Puts what was handed over into its queue. Called by the watcher once the worker is lost, and
  /// by the worker.
  void giveNextBack() {
    Runnable waiting = next;
    if (waiting != null && NEXT.compareAndSet(this, waiting, null)) {
      takenQueue().add(waiting);
      carriers.wake();
    }
  }

  void lose() {
    isLost = true;
    LockSupport.unpark(this);
  }

  boolean isLost() {
    return isLost;
  }

  /// Gives a spare worker a processor, in a state that no other worker knows.
  void take(Processor free, long freeState) {
    givenState = freeState;
    given = free;
    LockSupport.unpark(this);
  }

  @Override
  public void run() {
    meter.begin();
    carriers.watch();
    int handed = 0;
    while (!carriers.hasEnded()) {
      try {
        boolean mayRunNext = handed < MOST_HANDED || carriers.isEmpty();
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

  private boolean runNext() {
    Runnable task = next;
    if (task == null || !NEXT.compareAndSet(this, task, null)) {
      return false;
    }
    run(takenQueue(), task);
    return true;
  }

  /// Returns the queue of a continuation that was taken from `next`, and does not keep it: it leads
  /// to its domain.
  private RunQueue takenQueue() {
    RunQueue queue = nextQueue;
    nextQueue = carriers.own();
    return queue;
  }

  private boolean runListed() {
    giveNextBack();
    meter.look();
    RunQueue queue = carriers.next();
    if (queue == null) {
      return false;
    }
    Runnable task = queue.poll();
    if (!carriers.isEmpty()) {
      carriers.wake();
    }
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
    if (carriers.isEmpty() && !carriers.hasEnded()) {
      while (processor.state() == resting && !isLost && !carriers.hasEnded()) {
        LockSupport.park(processor);
        boolean _ = Thread.interrupted();
      }
    } else {
      long _ = processor.wake(); // unless another thread does
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
    if (!carriers.isEmpty()) { // a thread that yielded has woken none: this one was about to look
      carriers.wake();
    }
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
    isLost = false;
    processor = free;
    state = givenState;
    meter.begin();
    return true;
  }
}
