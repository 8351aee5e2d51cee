package sluice.net.stack;

import java.util.Arrays;

/// Hardware addresses by IPv4 address: the cache of ARP (RFC 826). Owned by the stack's thread.
///
/// A set-associative table, as in a processor's cache: an address may stand in one of eight places,
/// which its hash names. *Eviction*: the entry of the set that was confirmed longest ago makes
/// room, but none that is being asked for. *Expiry*: an entry that was not confirmed for a minute
/// counts no more; after three quarters of that it is asked for again while it is used (RFC 1122,
/// 2.3.2.1).
final class Neighbours {
  private static final int WAYS = 8;
  private static final long SECOND = 1_000_000_000L;
  static final long LIFETIME_NANOS = 60 * SECOND;
  private static final long FRESH_NANOS = 45 * SECOND;

  private enum State {
    FREE,
    ASKED,
    KNOWN
  }

  private final int mask;
  private final int[] addresses;
  private final long[] macs;
  private final long[] confirmed;
  private final long[] asked;
  private final int[] tries;
  private final State[] states;

  /// @param capacity a power of two, at least 8
  Neighbours(int capacity) {
    mask = capacity - 1;
    addresses = new int[capacity];
    macs = new long[capacity];
    confirmed = new long[capacity];
    asked = new long[capacity];
    tries = new int[capacity];
    states = new State[capacity];
    Arrays.fill(states, State.FREE);
  }

  private int firstOf(int address) {
    int mixed = address * 0x9e37_79b1;
    return (mixed >>> 7) & mask & -WAYS;
  }

  /// The slot of an address; -1 when it is not here.
  int find(int address) {
    int first = firstOf(address);
    for (int slot = first; slot < first + WAYS; slot++) {
      if (states[slot] != State.FREE && addresses[slot] == address) {
        return slot;
      }
    }
    return -1;
  }

  /// Makes a slot for an address that has none.
  ///
  /// @return -1 when all places of its set are being asked for
  private int insert(int address) {
    int first = firstOf(address);
    int chosen = -1;
    for (int slot = first; slot < first + WAYS; slot++) {
      if (states[slot] == State.FREE) {
        chosen = slot;
        break;
      }
      boolean older = chosen < 0 || confirmed[slot] - confirmed[chosen] < 0;
      if (states[slot] == State.KNOWN && older) {
        chosen = slot;
      }
    }
    if (chosen >= 0) {
      addresses[chosen] = address;
      asked[chosen] = Long.MIN_VALUE;
      tries[chosen] = 0;
    }
    return chosen;
  }

  boolean isKnown(int slot, long now) {
    return states[slot] == State.KNOWN && now - confirmed[slot] < LIFETIME_NANOS;
  }

  /// Whether a known entry should be confirmed, and was not asked for in the last second.
  boolean isDue(int slot, long now) {
    return now - confirmed[slot] > FRESH_NANOS
        && (asked[slot] == Long.MIN_VALUE || now - asked[slot] > SECOND);
  }

  long mac(int slot) {
    return macs[slot];
  }

  int address(int slot) {
    return addresses[slot];
  }

  int tries(int slot) {
    return tries[slot];
  }

  boolean isAsked(int slot) {
    return states[slot] == State.ASKED;
  }

  /// Whether the last question is a second old.
  boolean isOverdue(int slot, long now) {
    return now - asked[slot] >= SECOND;
  }

  /// Notes that a question was sent.
  void noteQuestion(int slot, long now) {
    asked[slot] = now;
    tries[slot]++;
  }

  /// Begins to ask for an address.
  ///
  /// @return -1 when there is no room
  int beginAsking(int address) {
    int found = find(address);
    int slot = found >= 0 ? found : insert(address);
    if (slot >= 0) {
      states[slot] = State.ASKED;
      tries[slot] = 0;
    }
    return slot;
  }

  /// Forgets an address that did not answer.
  void giveUp(int slot) {
    states[slot] = State.FREE;
  }

  /// Notes that a station has said its hardware address.
  ///
  /// @param add whether an address that is not here is added
  /// @return the slot; -1 when nothing was noted
  int confirm(int address, long mac, boolean add, long now) {
    int found = find(address);
    int slot = found >= 0 || !add ? found : insert(address);
    if (slot >= 0) {
      states[slot] = State.KNOWN;
      macs[slot] = mac;
      confirmed[slot] = now;
      tries[slot] = 0;
    }
    return slot;
  }
}
