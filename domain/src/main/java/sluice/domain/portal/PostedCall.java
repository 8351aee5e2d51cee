package sluice.domain.portal;

import org.jspecify.annotations.Nullable;

/// A call for which its caller does not wait: posted to [PostedCalls], run by a thread of their
/// party, and told of when its outcome is known. Any thread may call.
///
/// It is settled once: by what [#perform] returns, by the end of the party, or by [#settleAs].
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | calls | the thread that posts, before it does | plain, after the queue's lock | plain |
///
/// @param <T> what is known of an ended call
public abstract class PostedCall<T> extends PendingCall<T> {
  private @Nullable PostedCalls calls;

  /// Does the work, in a thread of the party: copies what comes into the party, and what leaves it.
  ///
  /// @throws Throwable what the party's code throws, for [#failed]
  protected abstract T perform() throws Throwable;

  /// Returns what is known of a call that threw. Called by the party's thread, so it may run code
  /// of it, and throws nothing.
  protected abstract T failed(Throwable thrown);

  /// Returns what is known of a call whose party has ended, or cannot run it.
  protected abstract T unserved(RuntimeException why);

  /// Takes the outcome, once. Called by whatever thread knows it first; does not block.
  protected abstract void settled(T known);

  /// Gives the call an outcome. If it waits, it is not run; if it runs, its thread is interrupted,
  /// and what it still returns is dropped.
  ///
  /// @return false if the outcome was known already
  public final boolean settleAs(T known) {
    boolean isFirst = abandonAs(known);
    PostedCalls of = calls;
    if (isFirst && of != null) {
      of.withdraw(this);
    }
    return isFirst;
  }

  /// Returns true while a thread of the party runs the call though its outcome is known.
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
      calls().left(this); // before its caller knows: the next call finds its place
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
