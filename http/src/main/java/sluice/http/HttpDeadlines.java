package sluice.http;

import sluice.http.HttpSession.Stage;
import sluice.loop.Connection;
import sluice.loop.engine.TurnClock;

/// Sets the deadlines of connections for receiving a head and for idling between requests. The
/// deadlines are shorter while the server is draining. Owned by the loop's thread.
final class HttpDeadlines {
  /// The time during which an idle connection of a draining server may still deliver a request that
  /// the client sent before it could learn of the shutdown.
  private static final long DRAIN_IDLE_NANOS = 250_000_000L;

  /// The time to receive the rest of a head, or the first request of a new connection, while the
  /// server is draining.
  private static final long DRAIN_HEAD_NANOS = 1_000_000_000L;

  private final TurnClock clock;
  private final long headerNanos;
  private final long idleNanos;

  HttpDeadlines(TurnClock clock, HttpConfig config) {
    this.clock = clock;
    this.headerNanos = config.headerTimeout().toNanos();
    this.idleNanos = config.idleTimeout().toNanos();
  }

  /// Returns the maximum time to receive a head while the server is not draining.
  long headerNanos() {
    return headerNanos;
  }

  private long idleNanos(HttpSession session) {
    return session.closing() ? Math.min(idleNanos, DRAIN_IDLE_NANOS) : idleNanos;
  }

  private long headNanos(HttpSession session) {
    return session.closing() ? Math.min(headerNanos, DRAIN_HEAD_NANOS) : headerNanos;
  }

  /// Sets the deadline for the next request.
  void idle(Connection connection, HttpSession session) {
    connection.deadline(idleNanos(session));
    connection.idle();
  }

  /// Sets the deadline after a reply has been staged, at which time the body of the request may
  /// still be incomplete.
  void answered(Connection connection, HttpSession session) {
    if (session.stage() == Stage.BETWEEN) {
      idle(connection, session);
    } else {
      update(connection, session, 0);
    }
  }

  /// Shortens the deadline because the server is draining.
  void draining(Connection connection, HttpSession session) {
    if (session.timed()) {
      connection.deadline(headNanos(session));
    } else {
      long first = session.openedNanos + DRAIN_HEAD_NANOS - clock.now();
      boolean asked = session.requests > 0;
      connection.deadline(asked ? idleNanos(session) : Math.max(idleNanos(session), first));
    }
  }

  /// Sets the deadline after input has been processed.
  ///
  /// @param left the number of bytes that were not consumed
  void update(Connection connection, HttpSession session, int left) {
    if (session.stage() == Stage.FEEDING) {
      return; // the feed sets its own deadlines
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
      case COLLECTING, FEEDING -> {} // the deadline of the body runs
    }
  }
}
