package sluice.http;

import sluice.http.HttpSession.Stage;
import sluice.loop.Connection;
import sluice.loop.engine.TurnClock;

/// How long clients may take: for a head, and between requests; less once the server drains. Owned
/// by the loop's thread.
final class HttpDeadlines {
  /// How long an idle connection of a draining server may still bring a request that was sent
  /// before the client could know.
  private static final long DRAIN_IDLE_NANOS = 250_000_000L;

  /// How long it may take to bring the rest of a head, and a new connection its first request.
  private static final long DRAIN_HEAD_NANOS = 1_000_000_000L;

  private final TurnClock clock;
  private final long headerNanos;
  private final long idleNanos;

  HttpDeadlines(TurnClock clock, HttpConfig config) {
    this.clock = clock;
    this.headerNanos = config.headerTimeout().toNanos();
    this.idleNanos = config.idleTimeout().toNanos();
  }

  /// From the first byte of a head to its last, while the server does not drain.
  long headerNanos() {
    return headerNanos;
  }

  private long idleNanos(HttpSession session) {
    return session.closing() ? Math.min(idleNanos, DRAIN_IDLE_NANOS) : idleNanos;
  }

  private long headNanos(HttpSession session) {
    return session.closing() ? Math.min(headerNanos, DRAIN_HEAD_NANOS) : headerNanos;
  }

  /// The next request may come.
  void idle(Connection connection, HttpSession session) {
    connection.deadline(idleNanos(session));
    connection.idle();
  }

  /// A request was answered whose body may not have come whole.
  void answered(Connection connection, HttpSession session) {
    if (session.stage() == Stage.BETWEEN) {
      idle(connection, session);
    } else {
      update(connection, session, 0);
    }
  }

  /// The server drains.
  void draining(Connection connection, HttpSession session) {
    if (session.timed()) {
      connection.deadline(headNanos(session));
    } else {
      long first = session.openedNanos + DRAIN_HEAD_NANOS - clock.now();
      boolean asked = session.requests > 0;
      connection.deadline(asked ? idleNanos(session) : Math.max(idleNanos(session), first));
    }
  }

  /// Input was looked at.
  ///
  /// @param left bytes that were not taken
  void update(Connection connection, HttpSession session, int left) {
    if (session.stage() == Stage.FEEDING) {
      return; // the feed says whose turn it is
    }
    if (connection.deferred()) {
      connection.deadline(0);
      return;
    }
    if (session.stage() == Stage.BETWEEN && left > 0) {
      session.awaitHead(0); // the output is full
    }
    switch (session.stage()) {
      case BETWEEN -> idle(connection, session);
      case HEAD, HELD, SKIPPING -> {
        if (session.startTime()) {
          connection.deadline(headNanos(session));
        }
      }
      case COLLECTING, FEEDING -> {} // that of the body runs
    }
  }
}
