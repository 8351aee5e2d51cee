package sluice.domain.portal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// The common part of all calls that are run by threads of a service. A call has an outcome, which
/// is set once by the first thread that knows it. A call can be interrupted without affecting any
/// other call.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | outcome | the first thread that knows it | volatile | compareAndSet from null |
/// | runner | service's thread | under the monitor | volatile; null: release, after an abandoned call under the monitor |
///
/// Abandoning a call interrupts its runner, if there is one, under the monitor. The runner acquires
/// the monitor only when it leaves an abandoned call. From then on, the interrupt has either
/// arrived or will not arrive.
///
/// @param <T> the outcome of a call
abstract class PendingCall<T> extends OpenCalls.Entry {
  private static final VarHandle OUTCOME;
  private static final VarHandle RUNNER;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      OUTCOME = lookup.findVarHandle(PendingCall.class, "outcome", Object.class);
      RUNNER = lookup.findVarHandle(PendingCall.class, "runner", Thread.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unused") // through its handle too
  private volatile @Nullable Object outcome;

  private volatile @Nullable Thread runner;

  /// Returns the party whose thread runs the call.
  abstract Party owner();

  /// Runs the call and returns its outcome. Called by the service's thread. Throws no exceptions.
  abstract T invoke();

  /// Passes the outcome to the caller. Called once.
  ///
  /// @param thenWaits true if the calling thread is about to wait
  abstract void told(T known, boolean thenWaits);

  /// Returns the outcome of the call, or null while it is unknown.
  @SuppressWarnings("unchecked") // only settle() writes
  final @Nullable T outcome() {
    return (T) outcome;
  }

  /// Sets the outcome unless it is already known.
  ///
  /// @return false if the outcome was already known
  final boolean settle(T known, boolean thenWaits) {
    boolean isFirst = OUTCOME.compareAndSet(this, null, known);
    if (isFirst) {
      told(known, thenWaits);
    }
    return isFirst;
  }

  /// Sets the outcome and interrupts the thread that runs the call. The result of the call is lost.
  ///
  /// @return false if the outcome was already known
  final boolean abandonAs(T known) {
    boolean isFirst = settle(known, false);
    if (isFirst && runner != null) {
      owner().aside(this::interrupt);
    }
    return isFirst;
  }

  /// Interrupts the runner. If the service belongs to a domain, neither the caller nor the thread
  /// that ends the service may do this, because code of the domain may close the channel on which
  /// the runner is blocked.
  private synchronized void interrupt() {
    Thread running = runner;
    if (running != null) {
      running.interrupt();
    }
  }

  /// Returns true if a thread is still running the call. Used for calls that were abandoned.
  final boolean isLeft() {
    return runner != null;
  }

  /// Returns true if the calling thread is running the call.
  final boolean isRunner() {
    return runner == Thread.currentThread();
  }

  @Override
  void run(boolean isLast) {
    runner = Thread.currentThread();
    boolean isAbandoned = outcome != null;
    if (!isAbandoned) {
      isAbandoned = !settle(invoke(), isLast);
    }
    if (isAbandoned) {
      synchronized (this) {
        runner = null;
      }
    } else {
      RUNNER.setRelease(this, null); // no thread interrupts a call that its own thread has settled
    }
    boolean _ = Thread.interrupted(); // an interrupt of this call must not reach the next one
  }
}
