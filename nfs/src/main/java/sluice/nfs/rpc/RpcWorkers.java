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

/// Manages the calls of one loop that workers are processing. It limits their number and their
/// memory, and queues the streams that are waiting for either. Instances are owned by the loop's
/// thread, except that workers call [#dispatcher], [#worked] and [#stable].
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | working | loop takes, worker gives | semaphore | semaphore |
/// | everything else | loop | plain | plain |
final class RpcWorkers {
  /// A stream that is waiting for a worker or for memory.
  interface Waiter {
    /// Tries to continue, because a worker or memory may be available now. This method is called on
    /// the loop's thread.
    void tryAgain();
  }

  private static final Logger LOGGER = System.getLogger("sluice.nfs");

  /// The maximum time that a closing loop waits for its workers.
  static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(30);

  /// The number of waiting streams that are notified when a call has been completed. Notifying a
  /// single stream would not be sufficient if it needs more memory than was released.
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

  /// Returns true if workers are processing the maximum number of calls.
  boolean full() {
    return busy >= limits.calls();
  }

  /// Returns the number of calls that workers are processing.
  int busy() {
    return busy;
  }

  /// Passes a call to a worker. The caller must have checked that [#full] returns false.
  ///
  /// @param message the message of the call, which is returned to the pool when the call has been
  ///   answered
  /// @param leased the number of cache bytes that the reply is expected to lease
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
    // This call never blocks, because there are as many permits as concurrent calls are allowed.
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

  /// Discards a call that cannot be executed by any worker. No reply is sent.
  void rejected(WorkerCall call) {
    working.release();
    finished(call);
  }

  /// Returns completed calls to the loop, so that their replies can be sent together. This method
  /// may be called on any thread.
  void worked(List<WorkerCall> calls) {
    loop.execute(() -> finished(calls));
    working.release(calls.size());
  }

  /// Returns calls whose replies were delayed until a change was stable. This method is called on a
  /// thread of the tree.
  ///
  /// @param failure null if the change is stable, otherwise the reason why it could not be made
  ///   stable
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

  /// Sends the reply, releases the memory of the call, and notifies waiting streams.
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

  /// Returns the memory of a message to the pool. The waiting streams are notified later, because
  /// the caller may be processing another message.
  void give(MessageBuffer message) {
    pool.give(message);
    if (!waiting.isEmpty() && !wakes) {
      wakes = true;
      loop.execute(this::wake);
    }
  }

  /// Queues a stream until the next call has been answered or memory has been released.
  void await(Waiter waiter) {
    waiting.add(waiter);
    if (!retries) {
      retries = true;
      loop.schedule(RETRY_NANOS, this::retry);
    }
  }

  /// Notifies the waiting streams periodically. This is necessary because memory may be held by
  /// streams that have become too slow, which is not reported by any event.
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

  /// Stops the workers when the loop has been closed. Late replies are discarded, and their memory
  /// and leases are released.
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
