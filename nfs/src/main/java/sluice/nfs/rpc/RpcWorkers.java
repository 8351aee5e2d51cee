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

/// The calls of one loop that are with workers: how many, in what memory, and which streams wait
/// for there to be fewer. Owned by the loop's thread; workers call [#dispatcher], [#worked] and
/// [#stable].
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | working | loop takes, worker gives | semaphore | semaphore |
/// | everything else | loop | plain | plain |
final class RpcWorkers {
  /// A user that has found no worker or no memory.
  interface Waiter {
    /// There may be some now. On the loop's thread.
    void tryAgain();
  }

  private static final Logger LOGGER = System.getLogger("sluice.nfs");

  /// How long the end of a loop waits for workers that still answer.
  static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(30);

  /// Streams that one finished call lets try again: one is not enough when it needs more memory
  /// than has come free.
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

  /// Whether no worker is to be had now.
  boolean full() {
    return busy >= limits.calls();
  }

  /// Calls that are with workers.
  int busy() {
    return busy;
  }

  /// Gives a call to a worker; only when it is not [#full].
  ///
  /// @param message is given back to the pool when the call has been answered
  /// @param leased bytes of a cache that the reply would keep
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
    working.acquireUninterruptibly(); // never waits: there are as many as may be busy
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

  /// No worker will do a call: there is no reply.
  void rejected(WorkerCall call) {
    working.release();
    finished(call);
  }

  /// Brings answered calls back together, so that their replies leave together. On whatever thread
  /// has the last of them.
  void worked(List<WorkerCall> calls) {
    loop.execute(() -> finished(calls));
    working.release(calls.size());
  }

  /// Brings calls back whose replies have waited for what they have changed. On a thread of the
  /// tree.
  ///
  /// @param failure null when it is stable
  void stable(List<WorkerCall> calls, @Nullable IOException failure) {
    if (failure == null) {
      end(calls, null);
      return;
    }
    try { // to say so needs the tree, which may have to be waited for
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

  /// Sends the reply, and lets the waiting streams try again.
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

  /// Takes a message's memory back. A stream that waits for it tries again later: the caller may be
  /// in the middle of another message.
  void give(MessageBuffer message) {
    pool.give(message);
    if (!waiting.isEmpty() && !wakes) {
      wakes = true;
      loop.execute(this::wake);
    }
  }

  /// Lets a user try again when a call has been answered or memory has come free.
  void await(Waiter waiter) {
    waiting.add(waiter);
    if (!retries) {
      retries = true;
      loop.schedule(RETRY_NANOS, this::retry);
    }
  }

  /// Memory may be held by streams whose time is over, which no event tells.
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

  /// The loop has closed: what workers still answer is dropped, but its memory and leases are given
  /// back.
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
    loop.execute(pool::close); // after the calls that have come back
  }
}
