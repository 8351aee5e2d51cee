package sluice.loop;

/// The orderly end of a loop: accept what waits, let what is under way finish, then stop. Owned by
/// the loop's thread; others ask whether it was cut off.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | cutOff | loop | volatile | volatile |
/// | begun | loop | plain | plain |
final class Drain {
  /// When nothing was accepted for this long, the accept queues of a draining loop are empty, and
  /// no handshake that began before is under way.
  private static final long ACCEPT_QUIET_NANOS = 50_000_000L;

  /// Longest that a draining loop goes on accepting.
  private static final long ACCEPT_NANOS = 1_000_000_000L;

  private final Loop loop;
  private final Acceptor acceptor;
  private final Connections connections;
  private boolean begun;
  private volatile boolean cutOff;

  Drain(Loop loop, Acceptor acceptor, Connections connections) {
    this.loop = loop;
    this.acceptor = acceptor;
    this.connections = connections;
  }

  boolean begun() {
    return begun;
  }

  boolean cutOff() {
    return cutOff;
  }

  /// As [Loop#drain].
  void begin(long timeoutNanos, long now) {
    if (begun) {
      return;
    }
    begun = true;
    acceptor.refuseNew();
    connections.forEach(loop.calls()::draining);
    loop.schedule(
        timeoutNanos,
        () -> {
          cutOff = !loop.stopping();
          loop.stop();
        });
    acceptRest(now + ACCEPT_NANOS);
  }

  /// Goes on accepting until nothing has come for a while.
  private void acceptRest(long untilNanos) {
    long before = loop.counters().accepted;
    loop.schedule(
        ACCEPT_QUIET_NANOS,
        () -> {
          if (loop.counters().accepted > before && loop.now() - untilNanos < 0) {
            acceptRest(untilNanos);
            return;
          }
          acceptor.stop();
          stopWhenEmpty();
        });
  }

  /// Stops the loop when nothing is left.
  void stopWhenEmpty() {
    if (begun && connections.count() == 0 && acceptor.stopped()) {
      loop.stop();
    }
  }
}
