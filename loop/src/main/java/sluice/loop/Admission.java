package sluice.loop;

import org.jspecify.annotations.Nullable;
import sluice.loop.engine.TurnClock;

/// The admission control of a loop, which decides which connections have a place in its table. If
/// all places are occupied, the connection that has been idle longest is closed in favor of a new
/// one. If no connection is idle, the new one is refused. Owned by the loop's thread.
///
/// **Order.** Connections are evicted from a linked list in least-recently-used order. A connection
/// is appended to the list when its protocol marks it as idle ([Connection#idle]) and removed when
/// bytes are shown to the protocol. Therefore a request costs two list updates, and an accept only
/// examines the head.
///
/// **Time of eviction.** A place is promised when a connection is accepted and occupied at the end
/// of the turn, because a request of the idle connection may be among the completions of that turn.
/// Until then the table may exceed the limit by up to [#MOST_PROMISED] connections. If every idle
/// connection has sent a request in that turn, the new connection exceeds the limit and stays for
/// at least a second.
///
/// **Closing.** The evicted connection is closed gracefully: the loop sends a FIN and discards
/// input until the peer's FIN. These connections, and refused connections that are being notified,
/// are `leaving`. They occupy no place. If there are more than [#MOST_LEAVING] of them, the
/// connection that has lingered longest is aborted.
///
/// **Descriptors.** A connection that uses one of the last descriptors replaces an idle connection
/// in the same way. The idle connection is closed immediately, without waiting for the peer's FIN,
/// because its descriptor is needed.
///
/// **Protocols.** A protocol that never calls [Connection#idle] keeps its connections. A protocol
/// that does call it may still veto an eviction ([Protocol#mayMakeRoom]). The connection then moves
/// to the end of the list, because it is now busy.
final class Admission {
  /// The maximum number of places above the limit that may be promised because of idle connections.
  static final int MOST_PROMISED = 256;

  /// The maximum number of leaving connections; further ones are closed without a reply.
  static final int MOST_LEAVING = 64;

  /// The maximum number of idle connections that are closed at once when no descriptor is left.
  static final int MOST_EVICTED = 32;

  /// The maximum number of connections above the limit that are kept for [#YOUNG_NANOS] if they
  /// have not yet sent a request.
  private static final int MOST_SPARED = 16;

  private static final long YOUNG_NANOS = 1_000_000_000L;

  /// The maximum number of connections whose protocols are consulted in one search.
  private static final int MOST_LOOKS = 64;

  /// The maximum number of refused connections that are sent a reply while each of them occupies a
  /// descriptor reserved for files.
  private static final int MOST_TOLD = 1;

  private final Connections connections;
  private final LoopCounters counters;
  private final TurnClock clock;
  private final ProtocolCalls calls;
  private final int limit;
  private final ConnectionList idle;
  private final ConnectionList leaving = new ConnectionList();
  private int leavingCount;

  /// The number of connections that were closed for their descriptors and are still in the table.
  private int evictedCount;

  /// The number of descriptors of idle connections that have been promised to new ones.
  private int owed;

  /// True if a place was promised in this turn.
  private boolean promisedNow;

  /// @param idle the connections that are waiting for their next message, see [Connection#idle]
  Admission(
      Connections connections,
      ConnectionList idle,
      LoopCounters counters,
      TurnClock clock,
      ProtocolCalls calls,
      int limit) {
    this.calls = calls;
    this.clock = clock;
    this.connections = connections;
    this.idle = idle;
    this.counters = counters;
    this.limit = limit;
  }

  /// Returns the number of connections that occupy a place, minus the limit.
  private int excess() {
    return connections.count() - leavingCount - evictedCount - limit;
  }

  /// Returns true if another connection has a place, or will have one by the end of the turn.
  ///
  /// @param above the number of open descriptors in excess of those set aside for connections,
  ///   including this one; the same number of idle connections is closed, but at most an eighth of
  ///   them plus one
  boolean hasPlace(int above) {
    int excess = excess();
    boolean scarce = above > 0;
    if (excess < 0 && !scarce) {
      return true;
    }
    Endpoint unused = longestIdle(false);
    int promised = Math.max(excess, owed);
    if (unused == null || promised >= Math.min(MOST_PROMISED, idle.size())) {
      return false;
    }
    if (scarce && unused.openedInTurn > counters.turns) {
      return false; // of this turn, which may bring its request
    }
    owed += Math.min(above, idle.size() / 8 + 1);
    promisedNow = true;
    return true;
  }

  /// Returns the number of descriptors that idle connections have yet to release.
  int owed() {
    return owed + evictedCount;
  }

  /// Returns true if there is a free place, or an idle connection that could be closed to free one.
  boolean mayHavePlace(boolean scarce) {
    return (!scarce && excess() < 0) || longestIdle(true) != null;
  }

  /// Returns true if the limit is exceeded so far that even clients that are allowed to wait are
  /// refused.
  boolean farAboveLimit() {
    return excess() >= MOST_PROMISED;
  }

  /// Returns the approximate number of idle connections. Any thread may call.
  int idleCount() {
    return idle.size();
  }

  /// Returns the number of free places, at least 1.
  int places() {
    return Math.max(1, -excess());
  }

  /// Returns the number of open connections.
  int count() {
    return connections.count();
  }

  /// Returns true if the connection limit has not been reached, so that only descriptors have run
  /// out.
  boolean belowLimit() {
    return excess() < 0;
  }

  /// Closes the connections that have been idle longest in order to free their descriptors. The
  /// number is limited by `most`, by an eighth of the idle connections, and by [#MOST_EVICTED].
  ///
  /// @return the number of closed connections; connections opened in this turn are spared
  int evictIdle(int most) {
    int wanted = Math.min(most, Math.clamp(idle.size() / 8, 1, MOST_EVICTED));
    int count = 0;
    while (count < wanted) {
      Endpoint longest = longestIdle(true);
      if (longest == null || longest.openedInTurn == counters.turns) {
        break;
      }
      evict(longest);
      count++;
    }
    return count;
  }

  private void evict(Endpoint longest) {
    counters.idleEvictions++;
    longest.evicted = true;
    evictedCount++;
    calls.makesRoom(longest);
    longest.abort();
  }

  /// Returns the connection to close next, or null if there is none. Connections ahead of it that
  /// have unsent output are removed from the list until the output is sent, so that each of them is
  /// examined only once.
  ///
  /// @param settled true if the results of this turn's sends are known; otherwise submitted sends
  ///   are assumed to succeed
  private @Nullable Endpoint longestIdle(boolean settled) {
    int looks = MOST_LOOKS;
    Endpoint longest = idle.first();
    while (longest != null) {
      boolean rests = isIdle(longest, settled);
      if (rests && calls.mayMakeRoom(longest)) {
        return longest;
      }
      idle.remove(longest); // where its protocol has failed, it is not there any more
      if (!rests) {
        longest.idleOnceSent = true;
      } else if (longest.state == Endpoint.State.OPEN) {
        idle.add(longest);
        looks--;
      }
      longest = looks > 0 ? idle.first() : null;
    }
    return null;
  }

  private static boolean isIdle(Endpoint connection, boolean settled) {
    boolean sent = connection.allSent() || (!settled && connection.allSubmitted());
    return sent && connection.asksForNothing();
  }

  /// Returns true if another connection can be notified that it is refused.
  ///
  /// @param scarce true if the connection occupies a descriptor reserved for files
  boolean canRefuse(boolean scarce) {
    return leavingCount < (scarce ? MOST_TOLD : MOST_LEAVING) || endLongestLingering();
  }

  /// Marks a connection as leaving because it is being refused or was idle too long.
  void leaves(Endpoint connection) {
    idle.remove(connection);
    connection.leaving = true;
    leavingCount++;
    leaving.add(connection);
  }

  /// Aborts the connection that has lingered longest after its FIN.
  ///
  /// @return false if no leaving connection has sent its FIN
  boolean endLongestLingering() {
    Endpoint longest = leaving.first();
    if (longest == null || longest.state != Endpoint.State.LINGER) {
      return false;
    }
    leaving.remove(longest);
    longest.abort();
    return true;
  }

  /// Removes a connection from the lists and counts after it has left the table.
  void removed(Endpoint connection) {
    idle.remove(connection);
    leaving.remove(connection);
    if (connection.leaving) {
      leavingCount--;
    }
    if (connection.evicted) {
      evictedCount--;
    } else if (owed > 0) { // a descriptor came back without that
      owed--;
    }
  }

  /// Frees the promised places at the end of a turn. Connections accepted in this turn are kept if
  /// possible, because a place may have been promised to them.
  void turnEnded() {
    while (excess() > 0 || owed > 0) {
      Endpoint longest = longestIdle(true);
      if (longest == null) {
        owed = 0;
        break;
      }
      // An idle connection that was chosen to release its descriptor may have sent a request. In
      // this case, a connection of this turn is closed instead.
      if (owed == 0 && (longest.openedInTurn == counters.turns || isSpared(longest))) {
        break;
      }
      if (owed > 0) {
        owed--;
        evict(longest);
      } else {
        counters.idleEvictions++;
        leaves(longest);
        calls.makesRoom(longest);
        longest.close();
      }
    }
    promisedNow = false;
    if (leavingCount > MOST_LEAVING) {
      endLongestLingering();
    }
  }

  /// Returns true if a connection may exceed the limit for a while, because its request may be in
  /// transit and no other client is waiting for its place.
  private boolean isSpared(Endpoint connection) {
    return !promisedNow
        && excess() <= MOST_SPARED
        && clock.now() - connection.openedNanos < YOUNG_NANOS;
  }
}
