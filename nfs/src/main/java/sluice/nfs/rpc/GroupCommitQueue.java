package sluice.nfs.rpc;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import sluice.loop.Loop;
import sluice.memory.ViewBinder;

/// Group commit of small changes (DeWitt et al., "Implementation Techniques for Main Memory
/// Database Systems", SIGMOD 1984): one worker does the queued calls one after another, and what
/// they have changed becomes stable together. The loop's thread adds and starts workers; workers
/// take.
///
/// A worker for each call would be woken for each, wait for its lock, wait for the journal, and be
/// woken again: most of what such calls cost. A worker begins when all input of a turn has been
/// looked at and ends when the queue is empty. A worker that is held up, by a device for example,
/// holds up no more than a moment: while calls wait and none is taken, another worker begins.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | waiting, taken | loop adds, workers take | concurrent | concurrent |
/// | working | loop up, workers down | volatile | atomic |
/// | beginning, looking, takenBefore | loop | plain | plain |
public final class GroupCommitQueue {
  /// A call that writes more has a worker of its own.
  public static final int MOST_CONTENT_BYTES = 16 << 10;

  /// How long calls wait for a worker that takes none before another begins.
  private static final long STALL_NANOS = 2_000_000L;

  /// Calls after which other workers get their turn.
  private static final int TURN = 16;

  private final Loop loop;
  private final RpcWorkers workers;
  private final Queue<WorkerCall> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicLong taken = new AtomicLong();
  private final AtomicInteger working = new AtomicInteger();
  private boolean beginning;
  private boolean looking;
  private long takenBefore;

  GroupCommitQueue(Loop loop, RpcWorkers workers) {
    this.loop = loop;
    this.workers = workers;
  }

  /// Adds a call; a worker takes it when the turn is over.
  void add(WorkerCall call) {
    waiting.add(call);
    if (!beginning) {
      beginning = true;
      loop.execute(this::begin);
    }
  }

  private void begin() {
    beginning = false;
    if (working.get() == 0) {
      start();
    }
    if (!looking && !waiting.isEmpty()) {
      look();
    }
  }

  /// The loop ends: no worker will begin later.
  void close() {
    if (!waiting.isEmpty() && working.get() == 0) {
      start();
    }
  }

  private void look() {
    looking = true;
    takenBefore = taken.get();
    loop.schedule(STALL_NANOS, this::looked);
  }

  private void looked() {
    looking = false;
    if (!waiting.isEmpty()) {
      if (taken.get() == takenBefore) {
        start();
      }
      look();
    }
  }

  private void start() {
    working.incrementAndGet();
    try {
      loop.slowPath().execute(this::work);
    } catch (RejectedExecutionException e) {
      working.decrementAndGet();
      for (WorkerCall call = waiting.poll(); call != null; call = waiting.poll()) {
        workers.rejected(call);
      }
    }
  }

  // ---- workers ---------------------------------------------------------------------------------

  @SuppressWarnings("ThreadPriorityCheck") // a virtual thread keeps its carrier until it waits
  private void work() {
    ViewBinder binder = new ViewBinder(Thread.currentThread());
    GroupCommitBatch done = new GroupCommitBatch(workers);
    boolean left = false;
    int calls = 0;
    try {
      while (!left) {
        WorkerCall call = waiting.poll();
        if (call != null) {
          taken.incrementAndGet();
          done.answer(call, binder);
          if (++calls % TURN == 0) {
            Thread.yield();
          }
        } else {
          done.handOver();
          left = leave();
        }
      }
    } finally {
      if (!left) { // never, but for want of memory
        working.decrementAndGet();
        done.handOver();
      }
    }
  }

  /// @return false when a call has come that no other worker would take
  private boolean leave() {
    working.decrementAndGet();
    return waiting.isEmpty() || !working.compareAndSet(0, 1);
  }
}
