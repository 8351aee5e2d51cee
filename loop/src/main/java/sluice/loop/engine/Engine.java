package sluice.loop.engine;

/// A kernel mechanism behind a completion interface: io_uring, epoll, poll, JDK channels, or a
/// simulated kernel. Callers stage operations; one [#turn] submits all staged operations, waits,
/// and delivers every completion. With io_uring this is one kernel crossing.
///
/// A completion is three primitives, see [CompletionSink]. No object is created per operation.
/// Tokens are chosen by the caller and opaque to the engine. Token 0 is not used.
///
/// **Threading.** All methods except [#wake] must be called by one thread, the owner. This is the
/// first thread that calls `turn`. A call from another thread throws [WrongThreadException].
///
/// **Order.** All input and output of a turn is performed before its first completion is delivered.
/// The actions of a sink at its first completion are therefore performed after all data delivered
/// by the turn has arrived. Completions of one descriptor's receives are delivered in stream order.
///
/// **Close** cancels and drains every operation in flight before it releases any memory that was
/// passed to the engine.
public interface Engine extends AutoCloseable {
  /// Returns the engine's name: `io_uring`, `epoll`, `poll`, `jdk` or `sim`.
  String name();

  /// Returns the engine's own transport, which provides kernel sockets (simulated ones for `sim`).
  KernelTransport sockets();

  /// Submits the staged operations, waits until there is a completion, a wake-up, or the timeout
  /// expires, and then delivers all available completions. Operations staged by the sink are
  /// submitted by the next turn. An interrupted wait (EINTR) ends the turn early without an error.
  ///
  /// @param timeoutNanos the maximum time to wait; 0 does not wait, and a negative value waits
  ///   without limit
  /// @return the number of completions delivered
  int turn(long timeoutNanos, CompletionSink sink);

  /// Ends the wait of the current or the next [#turn]. Any thread may call. Because this makes a
  /// system call, callers should first check that the owner is asleep.
  void wake();

  /// Stages a readiness wait on any pollable descriptor. It completes once, with the `poll(2)`
  /// events that are set or a negative errno.
  ///
  /// @param events `POLLIN`, `POLLOUT`, …
  /// @return 0, or -EOPNOTSUPP if the engine has no access to raw descriptors (`jdk`)
  int pollOnce(int fd, int events, long token);

  /// Cancels the operation armed under `token`. The operation completes with -ECANCELED without
  /// [Completion#MORE], unless it completes by itself before. Unknown tokens are ignored. The
  /// cancellation itself has no completion.
  void cancel(long token);

  /// Returns the number of system calls this engine has made since it was opened.
  long systemCalls();

  @Override
  void close();
}
