package sluice.domain.carrier;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A place for a continuation that a worker runs before those of the list. The worker puts; the
/// worker or the watcher takes.
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

  /// Marks a slot whose continuation was taken but not its queue yet; the worker must not put
  /// meanwhile.
  private static final Runnable TAKEN = Slot::nothing;

  private final Q none;
  private Q queue;
  private volatile @Nullable Runnable task;

  /// @param none the placeholder for the queue while the slot is empty; a real queue would keep its
  ///   domain reachable
  Slot(Q none) {
    this.none = none;
    queue = none;
  }

  boolean isEmpty() {
    return task == null;
  }

  /// Puts a continuation into an empty slot.
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

  /// Takes the continuation, or returns null if there is none. If it returns one, the caller has to
  /// call [#taken].
  @Nullable Runnable take() {
    Runnable waiting = task;
    boolean isThere = waiting != null && waiting != TAKEN;
    return isThere && TASK.compareAndSet(this, waiting, TAKEN) ? waiting : null;
  }

  /// Returns the queue of the taken continuation and empties the slot.
  Q taken() {
    Q of = queue;
    queue = none;
    TASK.setRelease(this, null);
    return of;
  }
}
