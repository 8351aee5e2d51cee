package sluice.loop;

import org.jspecify.annotations.Nullable;

/// Which connections have a place in a loop's table. When all are taken, the connection that has
/// been idle longest is closed for a new one; when none is idle, the new one is refused. Owned by
/// the loop's thread.
///
/// Least recently used first, by a linked list: a connection joins its end when the protocol says
/// that it is idle ([Connection#idle]) and leaves when bytes are shown, so a request costs two
/// changes of links, and an accept looks at the first.
///
/// **When.** A place is promised when a connection is accepted and taken at the end of the turn,
/// because a request of the idle connection may be among the completions of that turn. Until then
/// up to [#MOST_PROMISED] connections are above the limit.
///
/// **How.** The victim is closed in order: FIN, and what comes is dropped until the peer's FIN.
/// Such connections, and those that are told that they are refused, are `leaving`: they take none
/// of the places, and beyond [#MOST_LEAVING] the connection that has lingered longest is cut off.
final class Admission {
  /// Connections above the limit for which idle ones will make room.
  static final int MOST_PROMISED = 256;

  /// Connections on their way out; more are closed without a word.
  static final int MOST_LEAVING = 64;

  private final Connections connections;
  private final LoopCounters counters;
  private final int limit;
  private final ConnectionList idle;
  private final ConnectionList leaving = new ConnectionList();
  private int leavingCount;

  /// @param idle where connections wait for the next message, see [Connection#idle]
  Admission(Connections connections, ConnectionList idle, LoopCounters counters, int limit) {
    this.connections = connections;
    this.idle = idle;
    this.counters = counters;
    this.limit = limit;
  }

  /// Connections that have a place, less the limit.
  private int excess() {
    return connections.count() - leavingCount - limit;
  }

  /// Whether one connection more has a place, or will have by the end of the turn.
  boolean hasPlace() {
    int excess = excess();
    if (excess < 0) {
      return true;
    }
    Endpoint unused = longestIdle(false);
    return unused != null && excess < Math.min(MOST_PROMISED, idle.size());
  }

  /// The connection to close next. Those before it whose output has not been taken leave the list
  /// until it has: each was added once for being looked at once.
  ///
  /// @param settled whether the turn has shown how its sends went; before, they may have gone well
  private @Nullable Endpoint longestIdle(boolean settled) {
    Endpoint longest = idle.first();
    while (longest != null && !isIdle(longest, settled)) {
      idle.remove(longest);
      longest.idleOnceSent = true;
      longest = idle.first();
    }
    return longest;
  }

  private static boolean isIdle(Endpoint connection, boolean settled) {
    boolean sent = connection.allSent() || (!settled && connection.allSubmitted());
    return sent && connection.asksForNothing();
  }

  /// Whether one connection more can be told that it is refused.
  boolean canRefuse() {
    return leavingCount < MOST_LEAVING || endLongestLingering();
  }

  /// A connection is being told that it is refused, or that it has been idle too long.
  void leaves(Endpoint connection) {
    idle.remove(connection);
    connection.leaving = true;
    leavingCount++;
    leaving.add(connection);
  }

  /// Ends a connection that has been told to leave and has had its FIN.
  ///
  /// @return whether there was one
  boolean endLongestLingering() {
    Endpoint longest = leaving.first();
    if (longest == null || longest.state != Endpoint.State.LINGER) {
      return false;
    }
    leaving.remove(longest);
    longest.abort();
    return true;
  }

  /// The connection has left the table.
  void removed(Endpoint connection) {
    idle.remove(connection);
    leaving.remove(connection);
    if (connection.leaving) {
      leavingCount--;
    }
  }

  /// All that has come in a turn has been handled. A connection of this turn stays in any case: it
  /// may be a connection that had a place promised.
  void turnEnded() {
    while (excess() > 0) {
      Endpoint longest = longestIdle(true);
      if (longest == null || longest.openedInTurn == counters.turns) {
        break;
      }
      counters.idleEvictions++;
      leaves(longest);
      longest.close();
    }
    if (leavingCount > MOST_LEAVING) {
      endLongestLingering();
    }
  }
}
