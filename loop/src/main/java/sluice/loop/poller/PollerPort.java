package sluice.loop.poller;

import sluice.loop.engine.CompletionSink;

/// One-shot polls of a kernel: a ring's, or a simulated kernel's. The thread that awaits calls
/// everything but [#check], which the adding thread calls under the poller's lock, [#wake] and
/// [#close].
///
/// A poll that is armed completes once with the events that are set, at once if they are set
/// already, or with a negative errno. Re-arming what was reported therefore asks for its level.
public interface PollerPort extends AutoCloseable {
  /// As in [Poller#backend].
  String name();

  /// @return 0, -EBADF, or -EPERM for a file that cannot be polled
  int check(int fd);

  /// Stages one poll.
  ///
  /// @param events `poll(2)` bits
  /// @param token positive, comes back with the completion
  void arm(int fd, int events, long token);

  /// Stages the end of a poll: it completes with -ECANCELED unless it completes by itself before.
  void cancel(long token);

  /// Delivers the completions that are there already. They may have come long ago, so that what
  /// they say is not true any more.
  void drain(CompletionSink sink);

  /// Hands over what is staged, waits for a completion, a wake-up or the end of the time, and
  /// delivers all completions. May end early for no reason.
  ///
  /// @param timeoutNanos 0 does not wait, negative waits without limit
  void turn(long timeoutNanos, CompletionSink sink);

  /// Ends the current or the next [#turn]. Any thread.
  void wake();

  /// The clock that time limits are measured with, in nanoseconds.
  default long nanos() {
    return System.nanoTime();
  }

  /// System calls made so far.
  long calls();

  @Override
  void close();
}
