package sluice.domain.carrier;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A continuation that a worker runs before those of the list. The worker puts; it or the watcher
/// takes.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | task | the worker; the watcher, once the worker is lost | volatile | release; compareAndSet to TAKEN |
/// | queue | the worker before task; the thread that has set TAKEN | plain, after task | plain |
///
/// @param <Q> what the continuation belongs to
final class Slot<Q> {
  private static final VarHandle TASK;

  static {
    try {
      TASK = MethodHandles.lookup().findVarHandle(Slot.class, "task", Runnable.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /// In place of a continuation that was taken, until its queue was: the worker may not put before.
  private static final Runnable TAKEN = Slot::nothing;

  private final Q none;
  private Q queue;
  private volatile @Nullable Runnable task;

  /// @param none kept while there is no continuation: a queue leads to its domain
  Slot(Q none) {
    this.none = none;
    queue = none;
  }

  boolean isEmpty() {
    return task == null;
  }

  /// @return false if there is one
  boolean put(Q of, Runnable continuation) {
    if (task != null) {
      return false;
    }
    queue = of;
    TASK.setRelease(this, continuation);
    return true;
  }

  private static void nothing() {}

  /// Takes the continuation, or null. [#taken] is to be called then.
  @Nullable Runnable take() {
    Runnable waiting = task;
    boolean isThere = waiting != null && waiting != TAKEN;
    return isThere && TASK.compareAndSet(this, waiting, TAKEN) ? waiting : null;
  }

  /// Returns the queue of the continuation that was taken, and empties the slot.
  Q taken() {
    Q of = queue;
    queue = none;
    TASK.setRelease(this, null);
    return of;
  }
}
