package sluice.domain.carrier;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// The right to run continuations, of which there is one for each processor of the machine. A
/// [Worker] has it, and loses it when a continuation does not come back.
///
/// ```
/// busy ── nothing to run (worker) ──► idle ── work (any thread) ──► busy
///   └───── no turn for some time (watcher): busy, with another worker
/// ```
///
/// Each arrow counts the state up by compareAndSet: odd is idle, even is busy. A worker finds that
/// it has lost the processor when the state is not what it was; what it runs until then is as if it
/// had not come back yet.
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

  /// Of a processor that threads cannot be kept on.
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

  /// @param index among the carriers' processors
  /// @param cpu its number as the kernel counts, or [#NO_CPU]
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

  /// Makes the processor idle, and without a worker.
  void giveUp(long last) {
    worker = null;
    long _ = rest(last);
  }

  /// Makes the processor idle. Called by its worker, which has nothing to run.
  ///
  /// @param last the state as the worker knows it
  /// @return the state now, or -1 if the processor has another worker
  long rest(long last) {
    return STATE.compareAndSet(this, last, last + 1) ? last + 1 : -1;
  }

  /// Makes an idle processor busy. Its worker is to be woken then.
  ///
  /// @return the state now, or -1 if it was busy
  long wake() {
    long now = state;
    return (now & 1) != 0 && STATE.compareAndSet(this, now, now + 1) ? now + 1 : -1;
  }

  /// Makes the processor busy if it is as its worker has left it. Called by that worker.
  ///
  /// @param resting the state since it rests
  void resume(long resting) {
    boolean _ = STATE.compareAndSet(this, resting, resting + 1);
  }

  /// Notes that the continuation which runs now was asked to yield, for a queue whose turn it is.
  void asked(Worker running) {
    askedTurns = running.turns();
  }

  /// Returns true if the continuation that was asked to yield has not come back since. Called by
  /// the watcher, once for each time.
  boolean isAskedInVain() {
    long turns = askedTurns;
    askedTurns = -1;
    Worker of = worker;
    seen = state;
    return of != null && of.turns() == turns && !isIdle();
  }

  /// Called by the watcher at each look.
  ///
  /// @return for how many looks the worker has come back from no continuation
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

  /// Called by the watcher at each look, after [#looks].
  ///
  /// @param isAwaited whether a queue waits for the continuation to come back
  /// @return whether one did at the look before too, so that the continuation was asked to yield
  boolean isAwaitedAgain(boolean isAwaited) {
    boolean was = wasAwaited;
    wasAwaited = isAwaited;
    return isAwaited && was;
  }

  /// Takes the processor from its worker, if it was not idle since the last look.
  ///
  /// @return the state for its next worker, or -1 if there was one
  long take() {
    looks = 0;
    return STATE.compareAndSet(this, seen, seen + 2) ? seen + 2 : -1;
  }
}
