package sluice.loop.engine;

/// A kernel mechanism behind a completion interface: io_uring, epoll, poll, JDK channels, or a
/// simulated kernel. Callers stage operations; one [#turn] submits all staged operations, waits,
/// and delivers every completion. With io_uring this is one kernel crossing.
///
/// A completion is three primitives, see [CompletionSink]. No object is created per operation.
/// Tokens are chosen by the caller and opaque to the engine. Token 0 is not used.
///
/// **Threading.** One thread, the owner, calls everything except [#wake]. It is the thread that
/// calls `turn` first; a call from another thread throws [WrongThreadException].
///
/// **Order.** All input and output of a turn happens before its first completion is delivered, so
/// the actions of a sink at its first completion come after the arrival of everything the turn
/// delivers. Completions of one descriptor's receives are delivered in stream order.
///
/// **Close** cancels and drains every operation in flight before any memory the engine was given is
/// released.
public interface Engine extends AutoCloseable {
  /// Returns the engine's name: `io_uring`, `epoll`, `poll`, `jdk` or `sim`.
  String name();

  /// Returns the engine's own transport: kernel sockets (simulated ones for `sim`).
  KernelTransport sockets();

  /// Submits the staged operations, waits until there is a completion, a wake-up, or the time is
  /// over, then delivers all available completions. Operations staged by the sink are submitted by
  /// the next turn. An interrupted wait (EINTR) ends the turn early without error.
  ///
  /// @param timeoutNanos 0 does not wait; negative waits without limit
  /// @return the number of completions delivered
  int turn(long timeoutNanos, CompletionSink sink);

  /// Ends the wait of the current or the next [#turn]. Any thread may call. Costs a system call:
  /// callers first check that the owner sleeps.
  void wake();

  /// Stages one readiness wait on any pollable descriptor. It completes once, with the `poll(2)`
  /// events that are set or a negative errno.
  ///
  /// @param events `POLLIN`, `POLLOUT`, …
  /// @return 0, or -EOPNOTSUPP if the engine has no access to raw descriptors (`jdk`)
  int pollOnce(int fd, int events, long token);

  /// Cancels the operation armed under `token`: it completes with -ECANCELED without
  /// [Completion#MORE], unless it completes by itself before. Unknown tokens are ignored. The
  /// cancellation itself never completes.
  void cancel(long token);

  /// Returns the number of system calls this engine has made since it was opened.
  long systemCalls();

  @Override
  void close();
}
