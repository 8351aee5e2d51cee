package sluice.loop.readiness;

/// A source of readiness events, which is epoll, poll, or a JDK selector. This is the *synchronous
/// event demultiplexer* of the Reactor pattern (Schmidt, PLoP 1994). All methods except [#wake] are
/// called by the engine's owner thread.
///
/// Readiness is level-triggered and may be spurious. The event bits are those of `poll(2)`, which
/// are also used by `epoll(7)`.
interface Demultiplexer extends AutoCloseable {
  int IN = 1;
  int OUT = 4;
  int ERR = 8;
  int HUP = 16;
  int NVAL = 32;

  /// Sets the watched events to exactly `events`, where 0 stops watching. Sets
  /// [ReadinessSocket#registered]. Errors and hang-ups are reported while any event is watched.
  ///
  /// A socket that is not `owned` is reported at most once per update.
  ///
  /// @return 0 or a negative errno
  int update(ReadinessSocket socket, int events);

  /// Releases a socket, so that closing it takes effect immediately.
  default void forget(ReadinessSocket socket) {}

  /// Waits until a watched socket is ready, [#wake] is called, or the timeout expires.
  ///
  /// @param timeoutNanos the maximum time to wait; 0 does not wait, and a negative value waits
  ///   without limit
  /// @return the number of ready sockets, or 0 if there are none, or -EINTR if interrupted
  int await(long timeoutNanos);

  /// Returns the number of the ready socket at the given index of the last wait.
  int socket(int index);

  /// Returns the events of the ready socket at the given index.
  int events(int index);

  /// Returns true if a wake-up has occurred since the last call. Each wake-up is reported once.
  boolean woken();

  /// Ends the current or the next wait. Any thread may call, but not after [#close].
  void wake();

  /// Returns the number of system calls made.
  long calls();

  @Override
  void close();
}
