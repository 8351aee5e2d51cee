package sluice.domain.portal;

import java.util.List;
import java.util.concurrent.TimeUnit;

/// The calls of one service whose callers do not wait, such as the thread of a loop. The service
/// limits the number of calls that run concurrently and the number that wait; further calls are
/// rejected. The threads of the party that run portal calls also run these calls. Any thread may
/// call. Only [#retire] blocks.
///
/// ```
///  post ─► waits ─► runs ─► settled
///            │        └── settled (late) ─► its place is taken until its thread comes back
///            └── withdrawn, or the party ends
/// ```
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | open, taken, retired, ended | any | under the monitor | under the monitor |
public final class PostedCalls {
  /// The result of posting a call.
  public enum Posted {
    /// The call was accepted. It runs after [PostedCalls#wake], which the caller must call after it
    /// has posted all its calls.
    TAKEN,
    /// The maximum number of calls is running, and the maximum number of calls is waiting.
    FULL,
    /// The call was rejected because [PostedCalls#retire] has been called.
    RETIRED,
    /// The call was rejected because the party has ended.
    ENDED
  }

  private final Party owner;
  private final int most;
  private final ServiceThreads threads;
  private final OpenCalls open = new OpenCalls();
  private int taken;
  private boolean retired;
  private boolean ended;

  /// Creates the queue. Its threads are started on demand.
  ///
  /// @param name the name of the threads
  /// @param calls the maximum number of concurrent calls, at least 1
  /// @param waiting the maximum number of waiting calls, at least 0
  public PostedCalls(Party owner, String name, int calls, int waiting) {
    if (calls < 1 || waiting < 0) {
      throw new IllegalArgumentException(calls + " calls at once, and " + waiting + " that wait");
    }
    this.owner = owner;
    most = calls + waiting;
    threads = new ServiceThreads(owner, name, calls, true);
    owner.onEnd(this::end);
  }

  Party owner() {
    return owner;
  }

  /// Accepts or rejects a call, which must be new. No thread is woken.
  public Posted post(PostedCall<?> call) {
    synchronized (this) {
      if (retired) {
        return Posted.RETIRED;
      }
      if (ended || !owner.alive()) {
        return Posted.ENDED;
      }
      if (taken == most) {
        return Posted.FULL;
      }
      call.postedTo(this);
      open.add(call);
      taken++;
      threads.post(call);
      return Posted.TAKEN;
    }
  }

  /// Wakes one thread for all calls that were posted, or none if a thread is about to check the
  /// queue. If the party cannot provide a thread, the waiting calls are abandoned.
  public void wake() {
    try {
      threads.wake();
    } catch (RuntimeException e) {
      List<OpenCalls.Entry> last;
      synchronized (this) {
        last = open.copy();
      }
      last.forEach(call -> abandon(call, e));
    }
  }

  private void abandon(OpenCalls.Entry call, RuntimeException why) {
    if (threads.withdraw(call)) {
      left(call);
      call.abandon(why);
    }
  }

  /// Frees the place of a waiting call that is settled.
  void withdraw(OpenCalls.Entry call) {
    if (threads.withdraw(call)) {
      left(call);
    }
  }

  /// Frees the place of a call that its thread has completed or that was withdrawn. Idempotent.
  synchronized void left(OpenCalls.Entry call) {
    if (open.remove(call)) {
      taken--;
      if (taken == 0 && retired) {
        notifyAll();
      }
    }
  }

  /// Abandons all calls. Called by the thread that ends the party.
  private void end() {
    List<OpenCalls.Entry> last;
    synchronized (this) {
      ended = true;
      last = open.copy();
      notifyAll();
    }
    PartyEnded why = new PartyEnded("party " + owner.name() + " ended");
    last.forEach(call -> call.abandon(why));
    threads.end();
  }

  /// Rejects new calls and waits until the accepted calls have completed.
  ///
  /// @return false on timeout
  public synchronized boolean retire(long timeoutNanos) throws InterruptedException {
    retired = true;
    long deadline = System.nanoTime() + timeoutNanos;
    for (long left = timeoutNanos; taken > 0 && !ended && left > 0; ) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
      left = deadline - System.nanoTime();
    }
    return taken == 0;
  }

  /// Returns the load as text, for example `16 calls run, 3 of them too long, and 64 wait`.
  public synchronized String load() {
    int waiting = threads.waiting();
    long late =
        open.copy().stream()
            .filter(call -> call instanceof PostedCall<?> posted && posted.isStillRunning())
            .filter(call -> ((PostedCall<?>) call).isSettled())
            .count();
    return (taken - waiting)
        + " calls run, "
        + late
        + " of them too long, and "
        + waiting
        + " wait";
  }
}
