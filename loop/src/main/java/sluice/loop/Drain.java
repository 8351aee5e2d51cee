package sluice.loop;

import java.util.Set;
import sluice.loop.sockets.AcceptQueues;

/// The graceful shutdown of a loop. It accepts the waiting clients, lets the requests in progress
/// complete, and then stops the loop. Owned by the loop's thread. Other threads read whether the
/// drain timed out.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | cutOff | loop | volatile | volatile |
final class Drain {
  /// The time without an accept after which the accept queues of a draining loop are considered
  /// permanently empty, measured from when [AcceptQueues] found no client on its way in.
  private static final long ACCEPT_QUIET_NANOS = 50_000_000L;

  /// The maximum time for which a draining loop continues to accept because it has accepted a
  /// client.
  private static final long ACCEPT_NANOS = 1_000_000_000L;

  /// The maximum time for which a draining loop continues to accept because a handshake is in
  /// progress. It exceeds the three seconds after which an unanswered handshake no longer counts.
  private static final long HANDSHAKE_NANOS = 5_000_000_000L;

  private final String name;
  private final LoopParts loop;
  private final ProtocolCalls calls;
  private final Acceptor acceptor;
  private final Connections connections;
  private volatile boolean cutOff;

  /// @param name the name of the loop, which is used for its threads
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

  /// Continues to accept until no handshake is in progress and no client has arrived for a while.
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

  /// Stops the loop if it is draining and has no connections or listeners left.
  void stopWhenEmpty() {
    if (loop.turn().draining() && connections.count() == 0 && acceptor.stopped()) {
      loop.tasks().stop();
    }
  }
}
