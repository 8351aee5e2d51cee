package sluice.domain.carrier;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A continuation that a worker runs before those of the list. The worker puts; it or the watcher
/// takes.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | task | the worker; the watcher, once the worker is lost | volatile | release; compareAndSet to null |
/// | queue | the worker, before task | plain, after task | plain |
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

  /// Takes the continuation, or null. [#taken] is its queue then.
  @Nullable Runnable take() {
    Runnable waiting = task;
    return waiting != null && TASK.compareAndSet(this, waiting, null) ? waiting : null;
  }

  /// Returns the queue of the continuation that was taken, once.
  Q taken() {
    Q of = queue;
    queue = none;
    return of;
  }
}
