package sluice.loop.engine;

/// One kernel mechanism behind completions: io_uring, epoll, poll, JDK channels, or a simulated
/// kernel. Callers stage operations; one [#turn] hands over all that is staged, waits, and delivers
/// every completion: with io_uring that is one kernel crossing.
///
/// A completion is three primitives, see [CompletionSink]. No object is made per operation. Tokens
/// are the caller's; the engine never looks into one. Token 0 is not used.
///
/// **Threading.** One thread, the owner, calls everything except [#wake]. It is the thread that
/// calls `turn` first; a call from another thread throws [WrongThreadException].
///
/// **Order.** All input and output of a turn happens before its first completion is delivered, so
/// whatever a sink does at its first completion comes after the arrival of everything the turn
/// delivers. Completions of one descriptor's receives are delivered in stream order.
///
/// **Close** cancels and drains every operation in flight before any memory the engine was given is
/// released.
public interface Engine extends AutoCloseable {
  /// `io_uring`, `epoll`, `poll`, `jdk` or `sim`.
  String name();

  /// The engine's own transport: kernel sockets (simulated ones for `sim`).
  KernelTransport sockets();

  /// Hands over what is staged, waits until there is a completion, a wake-up, or the time is over,
  /// then delivers all completions there are. Operations staged by the sink are handed over by the
  /// next turn. An interrupted wait (EINTR) ends the turn early without error.
  ///
  /// @param timeoutNanos 0 does not wait; negative waits without limit
  /// @return completions delivered
  int turn(long timeoutNanos, CompletionSink sink);

  /// Ends the wait of the current or the next [#turn]. Any thread. Costs a system call: callers
  /// check first whether the owner sleeps.
  void wake();

  /// Stages one readiness wait on any pollable descriptor: completes once, with the `poll(2)`
  /// events that are set, or a negative errno.
  ///
  /// @param events `POLLIN`, `POLLOUT`, …
  /// @return 0, or -EOPNOTSUPP where the engine has no access to raw descriptors (`jdk`)
  int pollOnce(int fd, int events, long token);

  /// Cancels what was armed under `token`: it completes with -ECANCELED without [Completion#MORE],
  /// unless it completes by itself before. Unknown tokens are ignored. The cancellation itself
  /// never completes.
  void cancel(long token);

  /// System calls this engine has made since it was opened.
  long systemCalls();

  @Override
  void close();
}
