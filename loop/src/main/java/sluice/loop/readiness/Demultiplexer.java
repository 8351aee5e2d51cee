package sluice.loop.readiness;

/// Tells which descriptors are ready: epoll, poll, or a JDK selector; the *synchronous event
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
  /// Error and hang-up are reported as long as anything is watched.
  ///
  /// A socket that is not `owned` is reported at most once for each update.
  ///
  /// @return 0 or a negative errno
  int update(ReadinessSocket socket, int events);

  /// Lets go of a socket, so that closing it takes effect at once.
  default void forget(ReadinessSocket socket) {}

  /// Waits until a watched socket is ready, [#wake] is called, or the time is over.
  ///
  /// @param timeoutNanos 0 does not wait; negative waits without limit
  /// @return ready sockets, 0 when there are none, -EINTR when interrupted
  int await(long timeoutNanos);

  /// Number of the `index`-th ready socket of the last wait.
  int socket(int index);

  /// Events of the `index`-th ready socket.
  int events(int index);

  /// Whether a wake-up has come since the last call. A wake-up is reported once.
  boolean woken();

  /// Ends the current or the next wait. Any thread, but not after [#close].
  void wake();

  /// System calls made.
  long calls();

  @Override
  void close();
}
