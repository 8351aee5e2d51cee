package sluice.domain.carrier;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// Holds a continuation that a worker runs before those in the list. It is stored by the worker and
/// removed by the worker or the watcher.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | task | the worker; the watcher, once the worker is lost | volatile | release; compareAndSet to TAKEN |
/// | queue | the worker before task; the thread that has set TAKEN | plain, after task | plain |
///
/// @param <Q> the type of the continuation's queue
final class Slot<Q> {
  private static final VarHandle TASK;

  static {
    try {
      TASK = MethodHandles.lookup().findVarHandle(Slot.class, "task", Runnable.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /// Marks a slot whose continuation has been removed, but not yet its queue. In this state, the
  /// worker must not store another one.
  private static final Runnable TAKEN = Slot::nothing;

  private final Q none;
  private Q queue;
  private volatile @Nullable Runnable task;

  /// @param none the placeholder for the queue while the slot is empty, because a real queue would
  ///   keep its domain reachable
  Slot(Q none) {
    this.none = none;
    queue = none;
  }

  boolean isEmpty() {
    return task == null;
  }

  /// Stores a continuation in an empty slot.
  ///
  /// @return false if the slot is occupied
  boolean put(Q of, Runnable continuation) {
    if (task != null) {
      return false;
    }
    queue = of;
    TASK.setRelease(this, continuation);
    return true;
  }

  private static void nothing() {}

  /// Removes and returns the continuation, or returns null if there is none. If a continuation is
  /// returned, the caller must call [#taken].
  @Nullable Runnable take() {
    Runnable waiting = task;
    boolean isThere = waiting != null && waiting != TAKEN;
    return isThere && TASK.compareAndSet(this, waiting, TAKEN) ? waiting : null;
  }

  /// Returns the queue of the removed continuation and empties the slot.
  Q taken() {
    Q of = queue;
    queue = none;
    TASK.setRelease(this, null);
    return of;
  }
}
