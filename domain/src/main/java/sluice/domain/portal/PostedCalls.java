package sluice.domain.portal;

import java.util.List;
import java.util.concurrent.TimeUnit;

/// The calls of one service whose callers do not wait for them, such as a loop's thread: as many
/// run at once as it declares, so many more wait, and others are refused. Threads of its party run
/// them, those that run portal calls. Any thread may call; nothing here blocks but [#retire].
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
  /// The fate of a call that was posted.
  public enum Posted {
    /// It runs after [PostedCalls#wake], which the caller has to call when it has posted all that
    /// it has.
    TAKEN,
    /// As many calls run as may, and as many wait.
    FULL,
    /// [PostedCalls#retire] was called.
    RETIRED,
    /// The party has ended.
    ENDED
  }

  private final Party owner;
  private final int most;
  private final ServiceThreads threads;
  private final OpenCalls open = new OpenCalls();
  private int taken;
  private boolean retired;
  private boolean ended;

  /// @param name of the threads
  /// @param calls so many run at once, at least 1
  /// @param waiting so many wait then, at least 0
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

  /// Takes a call, which must be new. Wakes no thread.
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

  /// Has a thread look for the calls that were posted: one, for all of them; none if one is about
  /// to look. Where the party can have no thread, the calls that wait are abandoned.
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

  /// Frees the place of a call that waits and is settled.
  void withdraw(OpenCalls.Entry call) {
    if (threads.withdraw(call)) {
      left(call);
    }
  }

  /// A call has come back from its thread, or was withdrawn: another may have its place. Does
  /// nothing the second time.
  synchronized void left(OpenCalls.Entry call) {
    if (open.remove(call)) {
      taken--;
      if (taken == 0 && retired) {
        notifyAll();
      }
    }
  }

  /// By the thread that ends the party.
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

  /// Takes no more calls, and waits until those that it has are done.
  ///
  /// @return false if that took longer
  public synchronized boolean retire(long timeoutNanos) throws InterruptedException {
    retired = true;
    long deadline = System.nanoTime() + timeoutNanos;
    for (long left = timeoutNanos; taken > 0 && !ended && left > 0; ) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
      left = deadline - System.nanoTime();
    }
    return taken == 0;
  }

  /// Such as `16 calls run, 3 of them too long, and 64 wait`.
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
