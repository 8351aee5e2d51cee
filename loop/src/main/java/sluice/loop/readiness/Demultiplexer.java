package sluice.loop.readiness;

/// A source of readiness events: epoll, poll, or a JDK selector. The *synchronous event
/// demultiplexer* of the Reactor pattern (Schmidt, PLoP 1994). The engine's owner thread calls
/// everything but [#wake].
///
/// Readiness is level-triggered and may be spurious. Event bits are those of `poll(2)`, which
/// `epoll(7)` shares.
interface Demultiplexer extends AutoCloseable {
  int IN = 1;
  int OUT = 4;
  int ERR = 8;
  int HUP = 16;
  int NVAL = 32;

  /// Watches for exactly `events` from now on; 0 stops watching. Sets [ReadinessSocket#registered].
  /// Error and hang-up are reported while any event is watched.
  ///
  /// A socket that is not `owned` is reported at most once per update.
  ///
  /// @return 0 or a negative errno
  int update(ReadinessSocket socket, int events);

  /// Releases a socket, so that closing it takes effect at once.
  default void forget(ReadinessSocket socket) {}

  /// Waits until a watched socket is ready, [#wake] is called, or the time is over.
  ///
  /// @param timeoutNanos 0 does not wait; negative waits without limit
  /// @return the number of ready sockets, 0 if there are none, -EINTR if interrupted
  int await(long timeoutNanos);

  /// Returns the number of the `index`-th ready socket of the last wait.
  int socket(int index);

  /// Returns the events of the `index`-th ready socket.
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
