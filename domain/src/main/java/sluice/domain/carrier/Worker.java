package sluice.domain.carrier;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.sys.threads.Affinity;
import sluice.sys.threads.HostThread;
import sluice.sys.threads.TimeSlice;
import sluice.sys.threads.VirtualThreads;

/// A platform thread that runs continuations while it holds a [Processor], and otherwise waits for
/// one.
///
/// A worker loses its processor if a continuation does not yield (a class initializer, a native
/// frame, a read of a FIFO). When the continuation finally yields, the worker becomes a spare
/// worker.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | isLost | the watcher | volatile | volatile |
/// | given | the watcher sets, the worker clears | volatile | volatile |
/// | givenState | the watcher, before given | plain, after given | plain |
/// | turns | the worker | opaque | opaque |
/// | isHandingOver, isCalling, isMakingRoom, bound, state | the worker | plain | plain |
final class Worker extends Thread {
  /// The maximum number of consecutive hand-overs. After that, a continuation of the list is run
  /// next if there is one.
  private static final int MOST_HANDED = 64;

  /// The time without a processor after which a spare worker terminates.
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

  /// The continuation that was handed over, or selected by a scheduler of a domain.
  private final Slot<RunQueue> next;

  /// The continuation of a called thread, which runs after the caller's scheduler has made its
  /// selection.
  private final Slot<RunQueue> later;

  private volatile boolean isLost;
  private volatile int threadNumber;
  private long givenState;
  private volatile @Nullable Processor given;

  /// Creates a worker and its first processor assignment. The worker is not started.
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

  /// Returns the worker that carries the calling thread or is the calling thread, or null if there
  /// is none.
  static @Nullable Worker current() {
    return VirtualThreads.carrier() instanceof Worker worker ? worker : null;
  }

  Meter meter() {
    return meter;
  }

  /// Wakes a thread for which the calling thread is about to wait. Its continuation runs next on
  /// this worker, and no other processor is woken for it.
  void handOver(Thread thread) {
    isHandingOver = true;
    try {
      LockSupport.unpark(thread);
    } finally {
      isHandingOver = false;
    }
  }

  /// Allows threads of other queues to run before the carried virtual thread continues.
  @SuppressWarnings("ThreadPriorityCheck") // the watcher has asked for it
  void makeRoom() {
    isMakingRoom = true;
    Thread.yield();
    // A pinned thread has not yielded. Any other thread may now be on another worker, and this
    // worker has cleared the flag.
    if (current() == this) {
      isMakingRoom = false;
    }
  }

  /// Returns true if the continuation that is yielding did so for another queue, and clears the
  /// mark. Called on the worker.
  boolean endsMakingRoom() {
    boolean was = isMakingRoom;
    isMakingRoom = false;
    return was;
  }

  /// Wakes the thread of a service that the calling thread calls, like [#handOver]. If the
  /// scheduler of the caller's domain is notified of calls, it selects the next thread.
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

  /// Returns true if this worker is going to run ready continuations of a queue as soon as the
  /// calling thread continues, so that no other worker has to be woken. The calling thread is this
  /// worker or is carried by it. A worker without a processor runs nothing. If the worker loses its
  /// processor afterwards, its successor checks the queue. A worker does not check the queue if a
  /// thread yields after a hand-over, because the thread that was handed over runs first.
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

  /// Accepts a continuation to run next.
  ///
  /// @return false if the continuation must be added to its queue
  boolean runsNext(RunQueue queue, Runnable continuation) {
    return mayRun(queue) && next.put(queue, continuation);
  }

  private boolean mayRun(RunQueue queue) {
    return queue.isOf(carriers) && queue.mayRunOn(processor.index()) && !isLost;
  }

  /// Accepts a continuation that was made ready by a call, to be run after the scheduler of the
  /// caller's domain has made its selection.
  ///
  /// @return false if the continuation must be added to its queue
  boolean runsLater(RunQueue queue, Runnable continuation) {
    boolean isDelayed = isCalling && !isHandingOver;
    return isDelayed && mayRun(queue) && later.put(queue, continuation);
  }

  boolean hasNext() {
    return !next.isEmpty() || !later.isEmpty();
  }

  /// Returns handed-over continuations to their queues. Called by the watcher once the worker has
  /// lost its processor, and by the worker.
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

  /// Assigns a processor to a spare worker in a state that is not known to any other worker.
  void take(Processor free, long freeState) {
    int _ = TimeSlice.set(threadNumber, TimeSlice.DEFAULT_NANOS);
    givenState = freeState;
    isLost = false; // by the watcher alone: the worker might clear a newer setting
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
        // The worker may have lost its processor during the last continuation.
        if (processor.state() != state && !awaitProcessor()) {
          return;
        }
      } catch (Throwable e) { // an Error of the JVM, for example for lack of memory
        carriers.failed(e);
      }
    }
  }

  /// Returns the number of continuations that have been run. Any thread may call.
  long turns() {
    return (long) TURNS.getOpaque(this);
  }

  private void keepToProcessor() {
    if (carriers.isPinning() && bound != processor && processor.cpu() != Processor.NO_CPU) {
      bound = processor;
      int _ = Affinity.bind(processor.cpu()); // the process may have lost the processor meanwhile
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
    } catch (Throwable e) { // from a handler of uncaught exceptions
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
      processor.resume(resting); // unless another thread has, or another worker has it by now
    }
    state = resting + 1;
    meter.begin();
    carriers.watch();
  }

  /// Waits for a processor as a spare worker.
  ///
  /// @return false if the worker is no longer needed
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
