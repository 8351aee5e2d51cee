package sluice.nfs.rpc;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import sluice.loop.Loop;
import sluice.memory.ViewBinder;

/// A queue that implements group commit for small changes (DeWitt et al., "Implementation
/// Techniques for Main Memory Database Systems", SIGMOD 1984). One worker executes the queued calls
/// sequentially, and their changes become stable together. The loop's thread adds calls and starts
/// workers, which remove calls from the queue.
///
/// If every call had its own worker, each worker would be woken, wait for locks and the journal,
/// and be woken again, which would cost more than the call itself. A worker is started at the end
/// of the loop's turn and terminates when the queue is empty. If a worker is blocked, for example
/// by a device, and does not start another call for two milliseconds, an additional worker is
/// started.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | waiting, taken | loop adds, workers take | concurrent | concurrent |
/// | working | loop up, workers down | volatile | atomic |
/// | beginning, looking, takenBefore | loop | plain | plain |
public final class GroupCommitQueue {
  /// The maximum length of the data of a queued WRITE. A longer WRITE is executed by a worker of
  /// its own.
  public static final int MOST_CONTENT_BYTES = 16 << 10;

  /// The time without progress after which an additional worker is started.
  private static final long STALL_NANOS = 2_000_000L;

  /// The number of calls after which a worker yields to other threads.
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

  /// Adds a call. A worker is started at the end of the loop's turn if none is running.
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

  /// Starts a final worker for the remaining calls when the loop is closed.
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
      if (!left) { // only after an OutOfMemoryError
        working.decrementAndGet();
        done.handOver();
      }
    }
  }

  /// Unregisters this worker.
  ///
  /// @return false if a call has arrived in the meantime and this worker must continue because no
  ///   other worker is running
  private boolean leave() {
    working.decrementAndGet();
    return waiting.isEmpty() || !working.compareAndSet(0, 1);
  }
}
