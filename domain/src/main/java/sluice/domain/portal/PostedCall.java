package sluice.domain.portal;

import org.jspecify.annotations.Nullable;

/// A call whose caller does not wait for it. It is submitted to [PostedCalls], runs in a thread of
/// their party, and is notified when its outcome is known. Any thread may call.
///
/// The outcome is set once, either by the result of [#perform], by the end of the party, or by
/// [#settleAs].
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | calls | the thread that posts, before it does | plain, after the queue's lock | plain |
///
/// @param <T> the outcome of a call
public abstract class PostedCall<T> extends PendingCall<T> {
  private @Nullable PostedCalls calls;

  /// Performs the work in a thread of the party. This method must copy all objects that enter or
  /// leave the party.
  ///
  /// @throws Throwable an exception of the party's code, which is passed to [#failed]
  protected abstract T perform() throws Throwable;

  /// Returns the outcome of a call that has thrown an exception. Called by the party's thread, so
  /// it may run code of the party. Must not throw an exception.
  protected abstract T failed(Throwable thrown);

  /// Returns the outcome of a call whose party has ended or cannot run it.
  protected abstract T unserved(RuntimeException why);

  /// Receives the outcome, once. Called by the first thread that knows it; must not block.
  protected abstract void settled(T known);

  /// Sets the outcome. If the call is waiting, it will not be run. If it is running, its thread is
  /// interrupted and its result is discarded.
  ///
  /// @return false if the outcome was already known
  public final boolean settleAs(T known) {
    boolean isFirst = abandonAs(known);
    PostedCalls of = calls;
    if (isFirst && of != null) {
      of.withdraw(this);
    }
    return isFirst;
  }

  /// Returns true while a thread of the party is running the call, even if its outcome is already
  /// known.
  public final boolean isStillRunning() {
    return isLeft();
  }

  /// Returns true if the outcome is known.
  public final boolean isSettled() {
    return outcome() != null;
  }

  void postedTo(PostedCalls to) {
    calls = to;
  }

  private PostedCalls calls() {
    PostedCalls of = calls;
    if (of == null) {
      throw new IllegalStateException("a call that was not posted");
    }
    return of;
  }

  @Override
  final Party owner() {
    return calls().owner();
  }

  @Override
  final T invoke() {
    Frame frame = Frame.current();
    frame.party = owner();
    try {
      return perform();
    } catch (Throwable thrown) {
      return failed(thrown);
    } finally {
      frame.party = null;
    }
  }

  @Override
  final void told(T known, boolean thenWaits) {
    if (isRunner()) {
      calls().left(this); // before the caller is notified: its next call finds the place free
    }
    settled(known);
  }

  @Override
  final void abandon(RuntimeException why) {
    boolean _ = abandonAs(unserved(why));
  }

  @Override
  final void run(boolean isLast) {
    try {
      super.run(isLast);
    } finally {
      calls().left(this);
    }
  }
}
