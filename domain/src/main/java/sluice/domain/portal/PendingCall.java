package sluice.domain.portal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// The common part of all calls that threads of a service run: an outcome, which the first thread
/// to know it gives, and an interrupt, which reaches this call and no other.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | outcome | the first to know it | volatile | compareAndSet from null |
/// | runner | service's thread | under the monitor | volatile; null: release, after an abandoned call under the monitor |
///
/// A call that is abandoned interrupts its runner, if there is one, under the monitor. The runner
/// takes the monitor only to leave such a call: then the interrupt has come, or does not come.
///
/// @param <T> what is known of an ended call
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

  /// Runs it. Called by the service's thread; throws nothing.
  abstract T invoke();

  /// Tells the caller, once.
  ///
  /// @param thenWaits whether the calling thread is about to wait
  abstract void told(T known, boolean thenWaits);

  /// Returns what came of the call; null while that is not known.
  @SuppressWarnings("unchecked") // only settle() writes
  final @Nullable T outcome() {
    return (T) outcome;
  }

  /// @return false if the outcome is known already
  final boolean settle(T known, boolean thenWaits) {
    boolean isFirst = OUTCOME.compareAndSet(this, null, known);
    if (isFirst) {
      told(known, thenWaits);
    }
    return isFirst;
  }

  /// Settles the call, and interrupts the thread that runs it; what that still does is lost.
  ///
  /// @return false if the outcome is known already
  final boolean abandonAs(T known) {
    boolean isFirst = settle(known, false);
    if (isFirst && runner != null) {
      owner().aside(this::interrupt);
    }
    return isFirst;
  }

  /// Not by the caller or the thread that ends the service, where the service is a domain's: its
  /// code may close the channel that the runner waits on.
  private synchronized void interrupt() {
    Thread running = runner;
    if (running != null) {
      running.interrupt();
    }
  }

  /// Returns true if a thread still runs the call, which was abandoned.
  final boolean isLeft() {
    return runner != null;
  }

  /// Returns true if the calling thread runs the call.
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
      RUNNER.setRelease(this, null); // no thread interrupts a call that is settled by its own
    }
    boolean _ = Thread.interrupted(); // an interrupt of this call is not the next one's
  }
}
