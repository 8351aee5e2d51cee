package sluice.loop;

import org.jspecify.annotations.Nullable;
import sluice.loop.engine.TurnClock;

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
/// up to [#MOST_PROMISED] connections are above the limit. If all that were idle have asked in that
/// turn, the new connection is one too many, and stays for a second at least.
///
/// **How.** The victim is closed in order: FIN, and what comes is dropped until the peer's FIN.
/// Such connections, and those that are told that they are refused, are `leaving`: they take none
/// of the places, and beyond [#MOST_LEAVING] the connection that has lingered longest is cut off.
///
/// **Descriptors.** A connection that has one of the last descriptors takes the place of an idle
/// one in the same way. That victim is ended at once, without waiting for the peer's FIN, because
/// its descriptor is what is wanted.
///
/// **Protocols.** A protocol that does not call [Connection#idle] keeps its connections, and one
/// that does may still say no when their time has come ([Protocol#mayMakeRoom]): then the
/// connection goes to the end of the list, because it is busy now.
final class Admission {
  /// Connections above the limit for which idle ones will make room.
  static final int MOST_PROMISED = 256;

  /// Connections on their way out; more are closed without a word.
  static final int MOST_LEAVING = 64;

  /// Idle connections that are ended at once when not one descriptor is left.
  static final int MOST_EVICTED = 32;

  /// Connections above the limit that stay for [#YOUNG_NANOS] if they have not asked yet.
  private static final int MOST_SPARED = 16;

  private static final long YOUNG_NANOS = 1_000_000_000L;

  /// Connections whose protocols are asked at a time.
  private static final int MOST_LOOKS = 64;

  /// Connections that are told that they are refused while that takes descriptors of files.
  private static final int MOST_TOLD = 1;

  private final Connections connections;
  private final LoopCounters counters;
  private final TurnClock clock;
  private final ProtocolCalls calls;
  private final int limit;
  private final ConnectionList idle;
  private final ConnectionList leaving = new ConnectionList();
  private int leavingCount;

  /// Connections that were ended for their descriptors and have not left the table.
  private int evictedCount;

  /// Descriptors of idle connections that new ones were promised.
  private int owed;

  /// A place was promised in this turn.
  private boolean promisedNow;

  /// @param idle where connections wait for the next message, see [Connection#idle]
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

  /// Connections that have a place, less the limit.
  private int excess() {
    return connections.count() - leavingCount - evictedCount - limit;
  }

  /// Whether one connection more has a place, or will have by the end of the turn.
  ///
  /// @param above descriptors that are open above those for connections, this one included: as many
  ///   idle connections are ended, though not more than an eighth of them and one
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

  /// Descriptors that idle connections have not given back, and will.
  int owed() {
    return owed + evictedCount;
  }

  /// Whether there is a place, or a connection that could be closed for one.
  boolean mayHavePlace(boolean scarce) {
    return (!scarce && excess() < 0) || longestIdle(true) != null;
  }

  /// Whether so many connections are above the limit that not even clients which may wait are
  /// served.
  boolean farAboveLimit() {
    return excess() >= MOST_PROMISED;
  }

  /// Returns how many connections are idle, about. Any thread.
  int idleCount() {
    return idle.size();
  }

  /// Returns how many connections more have a place, at least 1.
  int places() {
    return Math.max(1, -excess());
  }

  /// Returns how many connections are open.
  int count() {
    return connections.count();
  }

  /// Whether descriptors alone are short.
  boolean belowLimit() {
    return excess() < 0;
  }

  /// Ends the connections that have been idle longest, for their descriptors: an eighth of all that
  /// are idle, and [#MOST_EVICTED] at most.
  ///
  /// @return how many; a connection of this turn stays
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

  /// The connection to close next. Those before it whose output has not been taken leave the list
  /// until it has: each was added once for being looked at once.
  ///
  /// @param settled whether the turn has shown how its sends went; before, they may have gone well
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

  /// Whether one connection more can be told that it is refused.
  ///
  /// @param scarce whether it takes a descriptor of those for files
  boolean canRefuse(boolean scarce) {
    return leavingCount < (scarce ? MOST_TOLD : MOST_LEAVING) || endLongestLingering();
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
    if (connection.evicted) {
      evictedCount--;
    } else if (owed > 0) { // a descriptor came back without that
      owed--;
    }
  }

  /// All that has come in a turn has been handled. A connection of this turn stays in any case: it
  /// may be a connection that had a place promised.
  void turnEnded() {
    while (excess() > 0 || owed > 0) {
      Endpoint longest = longestIdle(true);
      if (longest == null) {
        owed = 0;
        break;
      }
      // Those that were to go for a descriptor may have asked: then one of this turn goes.
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

  /// Whether a connection stays although there is one too many, because its request may be on its
  /// way: no other client waits for its place.
  private boolean isSpared(Endpoint connection) {
    return !promisedNow
        && excess() <= MOST_SPARED
        && clock.now() - connection.openedNanos < YOUNG_NANOS;
  }
}
