package sluice.net.stack;

/// Detects whether another station uses the IPv4 address of the stack (RFC 5227). The stack already
/// uses the address while this is checked. Instances are owned by the stack's thread, which calls
/// [#due] at each tick and sends the resulting packet.
///
/// ```
///  PROBING ── 3 probes, 1 s apart, and 2 s of silence ──▶ ANNOUNCING ── 2 times, 2 s apart─▶ KEPT
///     │ another station says that it has the address           └──── conflict ────┤
///     ▼                                                          an announcement,  │
///  GIVEN_UP                                      one in 10 s at most (2.4, c)  ◀───┘
/// ```
final class AddressClaim {
  private static final long SECOND = 1_000_000_000L;
  private static final int PROBES = 3;
  private static final int ANNOUNCEMENTS = 2;
  private static final long ANNOUNCE_NANOS = 2 * SECOND;
  private static final long DEFEND_NANOS = 10 * SECOND;

  private enum State {
    PROBING,
    ANNOUNCING,
    KEPT,
    GIVEN_UP
  }

  /// The packet that must be sent.
  enum Due {
    NOTHING,
    PROBE,
    ANNOUNCEMENT
  }

  private State state;
  private int sent;
  private long nextAt;
  private long defendAt;

  /// Starts to claim the address.
  ///
  /// @param owned true if the address is used only by the stack; an address of the kernel is not
  ///   probed
  AddressClaim(boolean owned, long now) {
    state = owned ? State.PROBING : State.KEPT;
    nextAt = now;
    defendAt = now;
  }

  /// Returns the packet that must be sent now.
  Due due(long now) {
    boolean later = now - nextAt < 0;
    if (later || state == State.KEPT || state == State.GIVEN_UP) {
      return Due.NOTHING;
    }
    if (state == State.PROBING && sent < PROBES) {
      sent++;
      nextAt = now + (sent == PROBES ? ANNOUNCE_NANOS : SECOND);
      return Due.PROBE;
    }
    if (state == State.PROBING) {
      state = State.ANNOUNCING;
      sent = 0;
    }
    sent++;
    nextAt = now + ANNOUNCE_NANOS;
    state = sent == ANNOUNCEMENTS ? State.KEPT : State.ANNOUNCING;
    return Due.ANNOUNCEMENT;
  }

  /// Processes a packet of another station that claims the address.
  ///
  /// @return true if the stack must announce its address, which happens at most once every ten
  ///   seconds and not after the address has been abandoned
  boolean conflict(long now) {
    if (state == State.PROBING) {
      state = State.GIVEN_UP;
    }
    if (state == State.GIVEN_UP || now - defendAt < 0) {
      return false;
    }
    defendAt = now + DEFEND_NANOS;
    return true;
  }

  boolean isGivenUp() {
    return state == State.GIVEN_UP;
  }
}
