package sluice.net.stack;

import java.util.Arrays;

/// The ARP cache (RFC 826), which maps IPv4 addresses to hardware addresses. Instances are owned by
/// the stack's thread.
///
/// It is a set-associative table like the cache of a processor. The hash of an address selects a
/// set of eight slots. If all slots of a set are in use, the least recently confirmed entry is
/// evicted, unless it is being resolved. An entry expires one minute after it was last confirmed.
/// An entry that is in use is confirmed again after 45 seconds (RFC 1122, section 2.3.2.1).
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

  /// Creates an empty cache.
  ///
  /// @param capacity the number of slots, which must be a power of two and at least 8
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

  /// Returns the slot of an address, or -1 if the address is not in the cache.
  int find(int address) {
    int first = firstOf(address);
    for (int slot = first; slot < first + WAYS; slot++) {
      if (states[slot] != State.FREE && addresses[slot] == address) {
        return slot;
      }
    }
    return -1;
  }

  /// Allocates a slot for an address that is not in the cache.
  ///
  /// @return the slot, or -1 if all entries of the set are being resolved
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

  /// Returns true if a resolved entry should be confirmed and no request has been sent during the
  /// last second.
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

  /// Returns true if the last request was sent at least one second ago.
  boolean isOverdue(int slot, long now) {
    return now - asked[slot] >= SECOND;
  }

  /// Records that a request has been sent.
  void noteQuestion(int slot, long now) {
    asked[slot] = now;
    tries[slot]++;
  }

  /// Starts resolving an address.
  ///
  /// @return the slot, or -1 if there is no free slot
  int beginAsking(int address) {
    int found = find(address);
    int slot = found >= 0 ? found : insert(address);
    if (slot >= 0) {
      states[slot] = State.ASKED;
      tries[slot] = 0;
    }
    return slot;
  }

  /// Removes an address for which no reply was received.
  void giveUp(int slot) {
    states[slot] = State.FREE;
  }

  /// Records the hardware address of a station.
  ///
  /// @param add true to add the address if it is not in the cache
  /// @return the slot, or -1 if nothing was recorded
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
