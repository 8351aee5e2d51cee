package sluice.loop.poller;

import sluice.loop.engine.CompletionSink;

/// A source of one-shot polls: a ring, or a simulated kernel. The awaiting thread calls everything
/// except [#check], which the adding thread calls under the poller's lock, [#wake] and [#close].
///
/// An armed poll completes once with the events that are set, at once if they are set already, or
/// with a negative errno. Arming a reported poll again therefore queries its level.
public interface PollerPort extends AutoCloseable {
  /// Returns the name for [Poller#backend].
  String name();

  /// Checks a descriptor.
  ///
  /// @return 0, -EBADF, or -EPERM for a file that cannot be polled
  int check(int fd);

  /// Stages one poll.
  ///
  /// @param events `poll(2)` bits
  /// @param token a positive number, which is passed to the completion
  void arm(int fd, int events, long token);

  /// Stages the cancellation of a poll, which completes with -ECANCELED unless it completes by
  /// itself before.
  void cancel(long token);

  /// Delivers the completions that are already available. They may be old, so that their events are
  /// no longer set.
  void drain(CompletionSink sink);

  /// Submits staged operations, waits for a completion, a wake-up or the end of the time, and
  /// delivers all completions. May end early without reason.
  ///
  /// @param timeoutNanos 0 does not wait, negative waits without limit
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
