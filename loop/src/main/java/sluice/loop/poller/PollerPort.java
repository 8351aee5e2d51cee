package sluice.loop.poller;

import sluice.loop.engine.CompletionSink;

/// A source of one-shot polls, which is a ring or a simulated kernel. All methods are called by the
/// waiting thread, except [#check], which the adding thread calls under the poller's lock, [#wake]
/// and [#close].
///
/// An armed poll completes once, either with the events that are set or with a negative errno. It
/// completes immediately if the events are already set, so arming a reported poll again queries its
/// level.
public interface PollerPort extends AutoCloseable {
  /// Returns the name, which is returned by [Poller#backend].
  String name();

  /// Checks a descriptor.
  ///
  /// @return 0, or -EBADF, or -EPERM if the file cannot be polled
  int check(int fd);

  /// Stages a one-shot poll.
  ///
  /// @param events `poll(2)` bits
  /// @param token a positive number, which is passed to the completion
  void arm(int fd, int events, long token);

  /// Stages the cancellation of a poll. The poll completes with -ECANCELED unless it completes by
  /// itself before.
  void cancel(long token);

  /// Delivers the completions that are already available. Their events may be out of date and no
  /// longer be set.
  void drain(CompletionSink sink);

  /// Submits staged operations, waits for a completion, a wake-up or the timeout, and delivers all
  /// completions. This method may return early for no reason.
  ///
  /// @param timeoutNanos the maximum time to wait; 0 does not wait, and a negative value waits
  ///   without limit
  void turn(long timeoutNanos, CompletionSink sink);

  /// Ends the current or the next [#turn]. Any thread may call.
  void wake();

  /// Returns the time of the clock that measures timeouts, in nanoseconds.
  default long nanos() {
    return System.nanoTime();
  }

  /// Returns the number of system calls made so far.
  long calls();

  @Override
  void close();
}
