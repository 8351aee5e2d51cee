package sluice.nfs.rpc;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.loop.Loop;
import sluice.loop.datagrams.Datagrams;
import sluice.nfs.RpcLimits;

/// The calls of one loop that are with workers: their number, their memory, and the streams that
/// wait for either. Owned by the loop's thread; workers call [#dispatcher], [#worked] and
/// [#stable].
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | working | loop takes, worker gives | semaphore | semaphore |
/// | everything else | loop | plain | plain |
final class RpcWorkers {
  /// A user that waits for a worker or for memory.
  interface Waiter {
    /// Tries again, because there may be some now. Called on the loop's thread.
    void tryAgain();
  }

  private static final Logger LOGGER = System.getLogger("sluice.nfs");

  /// The time for which a closing loop waits for its workers.
  static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(30);

  /// The number of streams that one finished call wakes. One would not be enough if that stream
  /// needs more memory than was freed.
  private static final int TRIES = 4;

  private static final long RETRY_NANOS = 250_000_000L;

  private final Loop loop;
  private final RpcDispatcher dispatcher;
  private final RpcLimits limits;
  private final RpcCounters counts;
  private final MessagePool pool;
  private final RpcLeases leases;
  private final ArrayDeque<XdrWriter> writers = new ArrayDeque<>();
  private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();
  private final Semaphore working;
  private final GroupCommitQueue groupCommits;
  private int busy;
  private boolean wakes;
  private boolean retries;

  RpcWorkers(Loop loop, RpcDispatcher dispatcher, RpcLimits limits, RpcCounters counts) {
    this.loop = loop;
    this.dispatcher = dispatcher;
    this.limits = limits;
    this.counts = counts;
    this.pool = new MessagePool(loop.name() + " messages", limits);
    this.leases = new RpcLeases(limits);
    this.working = new Semaphore(limits.calls());
    this.groupCommits = new GroupCommitQueue(loop, this);
    loop.onClose(this::close);
  }

  RpcDispatcher dispatcher() {
    return dispatcher;
  }

  RpcLimits limits() {
    return limits;
  }

  RpcCounters counts() {
    return counts;
  }

  MessagePool pool() {
    return pool;
  }

  RpcLeases leases() {
    return leases;
  }

  /// Returns true if the maximum number of calls is with workers.
  boolean full() {
    return busy >= limits.calls();
  }

  /// Returns the number of calls with workers.
  int busy() {
    return busy;
  }

  /// Passes a call to a worker. The caller has checked [#full].
  ///
  /// @param message is returned to the pool when the call has been answered
  /// @param leased the number of cache bytes that the reply would lease
  void pass(RpcCall call, MessageBuffer message, int leased, ReplyPath path) {
    XdrWriter reply = writers.poll();
    if (reply == null) {
      reply = new XdrWriter(limits.messageBytes());
    }
    leases.reserve(reply, leased, loop.now());
    if (call.datagram()) {
      reply.bound(Datagrams.MOST_BYTES);
    }
    busy++;
    counts.passed++;
    // Never waits: the number of permits is the maximum number of busy calls.
    working.acquireUninterruptibly();
    WorkerCall passed = new WorkerCall(this, call, message, reply, leased, path);
    if (call.isForGroupCommit()) {
      groupCommits.add(passed);
      return;
    }
    try {
      loop.slowPath().execute(passed);
    } catch (RejectedExecutionException e) {
      rejected(passed);
    }
  }

  /// Drops a call that no worker can run; there is no reply.
  void rejected(WorkerCall call) {
    working.release();
    finished(call);
  }

  /// Returns completed calls to the loop, so that their replies leave together. May be called on
  /// any thread.
  void worked(List<WorkerCall> calls) {
    loop.execute(() -> finished(calls));
    working.release(calls.size());
  }

  /// Returns calls whose replies have waited for a change. Called on a thread of the tree.
  ///
  /// @param failure null if the change is stable
  void stable(List<WorkerCall> calls, @Nullable IOException failure) {
    if (failure == null) {
      end(calls, null);
      return;
    }
    try { // the reply to a failure may need the tree and wait for it
      loop.slowPath().execute(() -> end(calls, failure));
    } catch (RejectedExecutionException e) {
      end(calls, failure);
    }
  }

  private void end(List<WorkerCall> calls, @Nullable IOException failure) {
    try {
      for (WorkerCall call : calls) {
        call.stable(failure);
      }
    } finally {
      worked(calls);
    }
  }

  private void finished(List<WorkerCall> calls) {
    for (WorkerCall call : calls) {
      try {
        finished(call);
      } catch (RuntimeException | Error e) {
        LOGGER.log(Level.ERROR, () -> loop.name() + ": a reply could not be sent", e);
      }
    }
  }

  /// Sends the reply, returns the memory, and wakes waiting streams.
  void finished(WorkerCall call) {
    busy--;
    counts.worked++;
    leases.made(call.reply);
    try {
      call.path.answered(call.reply, call.leased);
    } finally {
      call.reply.clear();
      writers.push(call.reply);
      give(call.message);
    }
  }

  /// Returns a message's memory to the pool. Waiting streams retry later, because the caller may be
  /// in the middle of another message.
  void give(MessageBuffer message) {
    pool.give(message);
    if (!waiting.isEmpty() && !wakes) {
      wakes = true;
      loop.execute(this::wake);
    }
  }

  /// Queues a user for the next answered call or freed memory.
  void await(Waiter waiter) {
    waiting.add(waiter);
    if (!retries) {
      retries = true;
      loop.schedule(RETRY_NANOS, this::retry);
    }
  }

  /// Wakes waiting streams periodically: streams that have become too slow may hold memory, and no
  /// event reports that.
  private void retry() {
    retries = false;
    wake();
  }

  void forget(Waiter waiter) {
    waiting.remove(waiter);
  }

  private void wake() {
    wakes = false;
    int tries = Math.min(TRIES, waiting.size());
    for (int i = 0; i < tries; i++) {
      Waiter waiter = waiting.poll();
      if (waiter != null) {
        waiter.tryAgain();
      }
    }
  }

  /// Ends the workers when the loop has closed. Late replies are dropped; their memory and leases
  /// are returned.
  private void close() {
    groupCommits.close();
    try {
      if (!working.tryAcquire(limits.calls(), DRAIN_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)) {
        LOGGER.log(
            Level.WARNING,
            () ->
                loop.name()
                    + ": calls were not answered within "
                    + DRAIN_TIMEOUT.toSeconds()
                    + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    loop.execute(pool::close); // runs after the calls that were returned before
  }
}
