package sluice.loop;

import java.util.Set;
import sluice.loop.sockets.AcceptQueues;

/// The orderly shutdown of a loop: accepts the waiting clients, lets requests in progress finish,
/// then stops the loop. Owned by the loop's thread; other threads read whether the drain was cut
/// off.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | cutOff | loop | volatile | volatile |
final class Drain {
  /// The quiet time after which the accept queues of a draining loop count as empty for good: no
  /// client was accepted for this long after [AcceptQueues] found none on its way in.
  private static final long ACCEPT_QUIET_NANOS = 50_000_000L;

  /// The longest time for which a draining loop keeps accepting because a connection was accepted.
  private static final long ACCEPT_NANOS = 1_000_000_000L;

  /// The longest time for which a draining loop keeps accepting because a client is on its way in.
  /// Longer than the three seconds after which an unanswered handshake no longer counts.
  private static final long HANDSHAKE_NANOS = 5_000_000_000L;

  private final String name;
  private final LoopParts loop;
  private final ProtocolCalls calls;
  private final Acceptor acceptor;
  private final Connections connections;
  private volatile boolean cutOff;

  /// @param name the name of the loop, for its threads
  Drain(
      String name,
      LoopParts loop,
      ProtocolCalls calls,
      Acceptor acceptor,
      Connections connections) {
    this.name = name;
    this.loop = loop;
    this.calls = calls;
    this.acceptor = acceptor;
    this.connections = connections;
  }

  boolean cutOff() {
    return cutOff;
  }

  /// Implements [Loop#drain].
  void begin(long timeoutNanos, long now) {
    if (loop.turn().draining()) {
      return;
    }
    loop.turn().drain();
    Set<Integer> ports = acceptor.refuseNew();
    connections.forEach(connection -> {
      calls.draining(connection);
      connection.lingerBriefly(now);
    });
    loop.tasks()
        .schedule(
            timeoutNanos,
            () -> {
              cutOff = !loop.tasks().stopping();
              loop.tasks().stop();
            });
    acceptRest(ports, now);
  }

  /// Keeps accepting until no client is on its way in and none has arrived for a while.
  private void acceptRest(Set<Integer> ports, long begunNanos) {
    long before = loop.counters().accepted;
    if (ports.isEmpty()) {
      stopUnlessAccepted(true, before, ports, begunNanos);
      return;
    }
    Thread.ofVirtual()
        .name(name + " accept queues")
        .start(() -> {
          boolean settled = AcceptQueues.settled(ports);
          loop.tasks().execute(() -> stopUnlessAccepted(settled, before, ports, begunNanos));
        });
  }

  private void stopUnlessAccepted(
      boolean settled, long before, Set<Integer> ports, long begunNanos) {
    loop.tasks()
        .schedule(
            ACCEPT_QUIET_NANOS,
            () -> {
              long passed = loop.turn().now() - begunNanos;
              boolean accepted = loop.counters().accepted > before;
              if ((!settled && passed < HANDSHAKE_NANOS) || (accepted && passed < ACCEPT_NANOS)) {
                acceptRest(ports, begunNanos);
                return;
              }
              acceptor.stop();
              stopWhenEmpty();
            });
  }

  /// Stops the loop if it drains and has no connections and listeners left.
  void stopWhenEmpty() {
    if (loop.turn().draining() && connections.count() == 0 && acceptor.stopped()) {
      loop.tasks().stop();
    }
  }
}
