package sluice.domain.carrier;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// The right to run continuations. There is one for each processor of the machine. It is held by a
/// [Worker], which loses it if a continuation does not yield.
///
/// ```
/// busy ── nothing to run (worker) ──► idle ── work (any thread) ──► busy
///   └───── no turn for some time (watcher): busy, with another worker
/// ```
///
/// Each arrow increments the state with a compareAndSet. An odd state is idle, and an even one is
/// busy. If the state has changed unexpectedly, the worker has lost the processor. Continuations
/// that it has run before it detects this are treated as not having yielded.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | state | the worker, the watcher, a thread with work | volatile | compareAndSet |
/// | askedTurns | a thread with work | volatile | volatile |
/// | worker | the watcher, or the first thread with work, after it has counted | volatile | volatile |
/// | seen, seenTurns, looks, wasAwaited | the watcher | plain | plain |
final class Processor {
  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Processor.class, "state", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /// The processor number that indicates that threads cannot be bound.
  static final int NO_CPU = -1;

  private final int index;
  private final int cpu;
  private volatile long state = 1;
  private volatile @Nullable Worker worker;
  private volatile long askedTurns = -1;
  private long seen = -1;
  private long seenTurns;
  private int looks;
  private boolean wasAwaited;

  /// Creates an idle processor without a worker.
  ///
  /// @param index the index among the carriers' processors
  /// @param cpu the kernel's number of the processor, or [#NO_CPU]
  Processor(int index, int cpu) {
    this.index = index;
    this.cpu = cpu;
  }

  int index() {
    return index;
  }

  int cpu() {
    return cpu;
  }

  long state() {
    return state;
  }

  boolean isIdle() {
    return (state & 1) != 0;
  }

  @Nullable Worker worker() {
    return worker;
  }

  void give(Worker next) {
    worker = next;
  }

  /// Makes the processor idle and removes its worker.
  void giveUp(long last) {
    worker = null;
    long _ = rest(last);
  }

  /// Makes the processor idle. Called by its worker if it has nothing to run.
  ///
  /// @param last the last state known to the worker
  /// @return the new state, or -1 if the processor has another worker
  long rest(long last) {
    return STATE.compareAndSet(this, last, last + 1) ? last + 1 : -1;
  }

  /// Makes an idle processor busy. The caller must then wake its worker.
  ///
  /// @return the new state, or -1 if it was busy
  long wake() {
    long now = state;
    return (now & 1) != 0 && STATE.compareAndSet(this, now, now + 1) ? now + 1 : -1;
  }

  /// Makes the processor busy again if its state has not changed since its worker made it idle.
  /// Called by that worker.
  ///
  /// @param resting the state set by the worker
  void resume(long resting) {
    boolean _ = STATE.compareAndSet(this, resting, resting + 1);
  }

  /// Records that the running continuation was requested to yield to a queue whose turn it is.
  void asked(Worker running) {
    askedTurns = running.turns();
  }

  /// Returns true if the continuation has not yielded since the request. Called by the watcher,
  /// once per request.
  boolean isAskedInVain() {
    long turns = askedTurns;
    askedTurns = -1;
    Worker of = worker;
    seen = state;
    return of != null && of.turns() == turns && !isIdle();
  }

  /// Counts the checks of an unchanged busy processor. Called by the watcher in each check.
  ///
  /// @return the number of checks during which the worker has not returned from a continuation
  int looks() {
    long now = state;
    Worker of = worker;
    long turns = of == null ? 0 : of.turns();
    if (now != seen || turns != seenTurns || (now & 1) != 0) {
      seen = now;
      seenTurns = turns;
      looks = 0;
      wasAwaited = false;
    } else {
      looks++;
    }
    return looks;
  }

  /// Records if a queue is waiting. Called by the watcher in each check, after [#looks].
  ///
  /// @param isAwaited true if a queue is waiting for the continuation to yield
  /// @return true if a queue was also waiting at the previous check, so that the continuation has
  ///   been requested to yield
  boolean isAwaitedAgain(boolean isAwaited) {
    boolean was = wasAwaited;
    wasAwaited = isAwaited;
    return isAwaited && was;
  }

  /// Removes the processor from its worker, unless it has been idle since the last check.
  ///
  /// @return the state for its next worker, or -1 if it was idle in the meantime
  long take() {
    looks = 0;
    return STATE.compareAndSet(this, seen, seen + 2) ? seen + 2 : -1;
  }
}
