package sluice.loop;

import org.jspecify.annotations.Nullable;
import sluice.loop.engine.TurnClock;

/// The admission control of a loop: decides which connections have a place in its table. When all
/// places are taken, the connection that has been idle longest is closed for a new one; if none is
/// idle, the new one is refused. Owned by the loop's thread.
///
/// **Order.** Connections are evicted least recently used first, from a linked list. A connection
/// joins the end of the list when its protocol says that it is idle ([Connection#idle]) and leaves
/// the list when bytes are shown to the protocol. A request therefore costs two list updates, and
/// an accept looks only at the head.
///
/// **Time of eviction.** A place is promised when a connection is accepted and taken at the end of
/// the turn, because a request of the idle connection may be among the completions of that turn.
/// Until then the table may exceed the limit by up to [#MOST_PROMISED] connections. If every idle
/// connection has sent a request in that turn, the new connection exceeds the limit and stays for
/// at least a second.
///
/// **Closing.** The victim is closed in order: the loop sends FIN and drops what arrives until the
/// peer's FIN. Such connections, and refused connections that are being told so, are `leaving`.
/// They take no place, and beyond [#MOST_LEAVING] the connection that has lingered longest is cut
/// off.
///
/// **Descriptors.** A connection that uses one of the last descriptors takes the place of an idle
/// one in the same way. That victim is ended at once, without waiting for the peer's FIN, because
/// its descriptor is needed.
///
/// **Protocols.** A protocol that never calls [Connection#idle] keeps its connections. A protocol
/// that does may still veto an eviction ([Protocol#mayMakeRoom]): the connection then moves to the
/// end of the list, because it is busy now.
final class Admission {
  /// The most places above the limit that may be promised on account of idle connections.
  static final int MOST_PROMISED = 256;

  /// The most connections that may be leaving; further ones are closed without a reply.
  static final int MOST_LEAVING = 64;

  /// The most idle connections that are ended at once when no descriptor is left.
  static final int MOST_EVICTED = 32;

  /// The most connections above the limit that stay for [#YOUNG_NANOS] if they have not sent a
  /// request yet.
  private static final int MOST_SPARED = 16;

  private static final long YOUNG_NANOS = 1_000_000_000L;

  /// The most connections whose protocols are asked in one search.
  private static final int MOST_LOOKS = 64;

  /// The most refused connections that are sent a reply while each takes a descriptor reserved for
  /// files.
  private static final int MOST_TOLD = 1;

  private final Connections connections;
  private final LoopCounters counters;
  private final TurnClock clock;
  private final ProtocolCalls calls;
  private final int limit;
  private final ConnectionList idle;
  private final ConnectionList leaving = new ConnectionList();
  private int leavingCount;

  /// The number of connections that were ended for their descriptors and are still in the table.
  private int evictedCount;

  /// The number of descriptors of idle connections that have been promised to new ones.
  private int owed;

  /// True if a place was promised in this turn.
  private boolean promisedNow;

  /// @param idle the connections that wait for their next message, see [Connection#idle]
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

  /// Returns the number of connections that have a place minus the limit.
  private int excess() {
    return connections.count() - leavingCount - evictedCount - limit;
  }

  /// Returns true if one more connection has a place, or will have one by the end of the turn.
  ///
  /// @param above the number of open descriptors above those set aside for connections, this one
  ///   included; as many idle connections are ended, but at most an eighth of them plus one
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

  /// Returns the number of descriptors that idle connections will give back and have not yet.
  int owed() {
    return owed + evictedCount;
  }

  /// Returns true if there is a place, or an idle connection that could be closed for one.
  boolean mayHavePlace(boolean scarce) {
    return (!scarce && excess() < 0) || longestIdle(true) != null;
  }

  /// Returns true if the limit is exceeded so far that even clients that may wait are refused.
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

  /// Returns true if the connection limit leaves room, so that only descriptors are short.
  boolean belowLimit() {
    return excess() < 0;
  }

  /// Ends the connections that have been idle longest, for their descriptors: at most `most`, an
  /// eighth of the idle ones, and [#MOST_EVICTED].
  ///
  /// @return the number of ended connections; connections opened in this turn are spared
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

  /// Returns the connection to close next, or null if there is none. Connections ahead of it with
  /// unsent output leave the list until it is sent, so each of them is examined only once.
  ///
  /// @param settled true if the results of this turn's sends are known; otherwise submitted sends
  ///   count as successful
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

  /// Returns true if one more connection can be told that it is refused.
  ///
  /// @param scarce true if the connection takes a descriptor reserved for files
  boolean canRefuse(boolean scarce) {
    return leavingCount < (scarce ? MOST_TOLD : MOST_LEAVING) || endLongestLingering();
  }

  /// Marks a connection as leaving: it is being told that it is refused or was idle too long.
  void leaves(Endpoint connection) {
    idle.remove(connection);
    connection.leaving = true;
    leavingCount++;
    leaving.add(connection);
  }

  /// Aborts the connection that has lingered longest after its FIN.
  ///
  /// @return false if no leaving connection has been sent its FIN
  boolean endLongestLingering() {
    Endpoint longest = leaving.first();
    if (longest == null || longest.state != Endpoint.State.LINGER) {
      return false;
    }
    leaving.remove(longest);
    longest.abort();
    return true;
  }

  /// Removes a connection that has left the table from the lists and counts.
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

  /// Makes the promised room at the end of a turn. Connections accepted in this turn are kept where
  /// possible, because a place may have been promised to them.
  void turnEnded() {
    while (excess() > 0 || owed > 0) {
      Endpoint longest = longestIdle(true);
      if (longest == null) {
        owed = 0;
        break;
      }
      // An idle connection that was to give up its descriptor may have sent a request: then a
      // connection of this turn is closed instead.
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

  /// Returns true if a connection may stay above the limit for a while, because its request may be
  /// on its way and no other client waits for its place.
  private boolean isSpared(Endpoint connection) {
    return !promisedNow
        && excess() <= MOST_SPARED
        && clock.now() - connection.openedNanos < YOUNG_NANOS;
  }
}
