package sluice.vi.xdp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import sluice.vi.device.PortSpec;

/// The datagrams of the device: numbers in network order, all lengths fixed but that of a fragment.
/// Stateless.
///
/// ```
///            0        2      3       4          12         20
///            ┌────────┬──────┬───────┬──────────┬──────────┬───────────────────────────────────
///  all       │ magic  │ kind │ flags │ to       │ from     │
///            ├────────┴──────┴───────┴──────────┴──────────┼──────────┬─────┬───────┬───────┐
///  FRAGMENT  │ number of a connection at the receiver, and │ sequence │ ack │ limit │ taken │
///  STATUS    │ at the sender: random, 64 bits each         │          │     │       │       │
///  CLOSE     │                                             │ messageBytes │ offset │ bytes │
///            │                                             ├─────┬──────────┬──────────┬────┴──┐
///  HELLO     │ to 0, from what the connection will have    │ tag │ transfer │ datagram │ limit │
///  ABANDON   │                                             │ cookie │
///  ACCEPTED  │                                             │ tag │ transfer │ datagram │ limit │
///  CHALLENGE │ from 0                                      │ cookie │
///  WAIT      │ from 0                                      │
///  REFUSED   │ from 0, flags: why                          │
///  GONE      │ as the datagram that it answers, exchanged  │
///            └─────────────────────────────────────────────┘
/// ```
///
/// No answer is longer than what it answers, so a forged sender gains nothing.
final class Datagram {
  static final int MAGIC = 0x5356;

  static final int HELLO = 1;
  static final int CHALLENGE = 2;
  static final int WAIT = 3;
  static final int ACCEPTED = 4;
  static final int REFUSED = 5;
  static final int ABANDON = 6;
  static final int FRAGMENT = 7;
  static final int STATUS = 8;
  static final int CLOSE = 9;
  static final int GONE = 10;

  /// Flag of [#STATUS]: the peer is to answer.
  static final int ASKS = 1;

  /// Flag of [#STATUS] and [#FRAGMENT]: a fragment came before that of number `ack`.
  static final int MISSES = 2;

  /// Flag of [#FRAGMENT]: another one follows at once, so the answer may wait for it.
  static final int MORE = 4;

  /// Flag of [#CLOSE]: the sender's end failed.
  static final int FAILED = 1;

  /// Flags of [#REFUSED].
  static final int NO_TAG = 1;

  static final int OTHER_RELIABILITY = 2;

  static final int PREFIX_BYTES = 20;
  static final int HEAD_BYTES = 44;
  static final int HELLO_BYTES = 44;
  static final int ACCEPTED_BYTES = 36;
  static final int CHALLENGE_BYTES = 28;

  /// Longest and shortest datagram that two ends may agree on.
  static final int MOST_BYTES = 1472;

  static final int LEAST_BYTES = 256;

  private static final int TO_AT = 4;
  private static final int FROM_AT = 12;
  private static final int SEQUENCE_AT = 20;
  private static final int ACK_AT = 24;
  private static final int LIMIT_AT = 28;
  private static final int TAKEN_AT = 32;
  private static final int MESSAGE_AT = 36;
  private static final int OFFSET_AT = 40;
  private static final int TAG_AT = 20;
  private static final int TRANSFER_AT = 24;
  private static final int DATAGRAM_AT = 28;
  private static final int FIRST_LIMIT_AT = 32;
  private static final int COOKIE_AT = 36;
  private static final int CHALLENGE_AT = 20;
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private Datagram() {}

  // ---- reading -------------------------------------------------------------------------------

  /// Returns what kind it is, if a datagram of this length can be of that kind; else 0.
  static int kind(MemorySegment from, int length) {
    if (length < PREFIX_BYTES || from.get(INT, 0) >>> 16 != MAGIC) {
      return 0;
    }
    int kind = from.get(INT, 0) >>> 8 & 0xff;
    boolean fits =
        switch (kind) {
          case HELLO, ABANDON -> length == HELLO_BYTES;
          case CHALLENGE -> length == CHALLENGE_BYTES;
          case WAIT, REFUSED, GONE -> length == PREFIX_BYTES;
          case ACCEPTED -> length == ACCEPTED_BYTES;
          case FRAGMENT -> length >= HEAD_BYTES && length <= MOST_BYTES;
          case STATUS, CLOSE -> length == HEAD_BYTES;
          default -> false;
        };
    return fits ? kind : 0;
  }

  static int flags(MemorySegment from) {
    return from.get(INT, 0) & 0xff;
  }

  static long to(MemorySegment from) {
    return from.get(LONG, TO_AT);
  }

  static long from(MemorySegment from) {
    return from.get(LONG, FROM_AT);
  }

  static int sequence(MemorySegment from) {
    return from.get(INT, SEQUENCE_AT);
  }

  static int ack(MemorySegment from) {
    return from.get(INT, ACK_AT);
  }

  static int limit(MemorySegment from) {
    return from.get(INT, LIMIT_AT);
  }

  static int taken(MemorySegment from) {
    return from.get(INT, TAKEN_AT);
  }

  static int messageBytes(MemorySegment from) {
    return from.get(INT, MESSAGE_AT);
  }

  static int offset(MemorySegment from) {
    return from.get(INT, OFFSET_AT);
  }

  static int tag(MemorySegment from) {
    return from.get(INT, TAG_AT);
  }

  static int transferBytes(MemorySegment from) {
    return from.get(INT, TRANSFER_AT);
  }

  static int datagramBytes(MemorySegment from) {
    return from.get(INT, DATAGRAM_AT);
  }

  static int firstLimit(MemorySegment from) {
    return from.get(INT, FIRST_LIMIT_AT);
  }

  static long cookie(MemorySegment from) {
    return from.get(LONG, COOKIE_AT);
  }

  static long challenge(MemorySegment from) {
    return from.get(LONG, CHALLENGE_AT);
  }

  /// Returns what of a [PortSpec] both ends must want alike.
  static int reliability(PortSpec spec) {
    return (spec.discards() ? 1 : 0) | (spec.acknowledged() ? 2 : 0);
  }

  // ---- writing -------------------------------------------------------------------------------

  /// @return the length so far
  static int prefix(MemorySegment into, int kind, int flags, long to, long from) {
    into.set(INT, 0, MAGIC << 16 | kind << 8 | flags);
    into.set(LONG, TO_AT, to);
    into.set(LONG, FROM_AT, from);
    return PREFIX_BYTES;
  }

  /// Writes what is behind the prefix of a fragment.
  static void fragment(MemorySegment into, int sequence, int messageBytes, int offset) {
    into.set(INT, SEQUENCE_AT, sequence);
    into.set(INT, MESSAGE_AT, messageBytes);
    into.set(INT, OFFSET_AT, offset);
  }

  /// Writes what each datagram of a connection tells of the sender's receiving side.
  static void status(MemorySegment into, int ack, int limit, int taken) {
    into.set(INT, ACK_AT, ack);
    into.set(INT, LIMIT_AT, limit);
    into.set(INT, TAKEN_AT, taken);
  }

  /// Writes a [#HELLO] or an [#ABANDON].
  static int hello(MemorySegment into, int kind, long from, PortSpec spec, Offer offer) {
    int _ = prefix(into, kind, reliability(spec), 0, from);
    into.set(INT, TAG_AT, spec.tag());
    offer(into, offer);
    into.set(LONG, COOKIE_AT, offer.cookie());
    return HELLO_BYTES;
  }

  static int accepted(MemorySegment into, long to, long from, int tag, Offer offer) {
    int _ = prefix(into, ACCEPTED, 0, to, from);
    into.set(INT, TAG_AT, tag);
    offer(into, offer);
    return ACCEPTED_BYTES;
  }

  private static void offer(MemorySegment into, Offer offer) {
    into.set(INT, TRANSFER_AT, offer.transferBytes());
    into.set(INT, DATAGRAM_AT, offer.datagramBytes());
    into.set(INT, FIRST_LIMIT_AT, offer.limit());
  }

  static int challenge(MemorySegment into, long to, long cookie) {
    int _ = prefix(into, CHALLENGE, 0, to, 0);
    into.set(LONG, CHALLENGE_AT, cookie);
    return CHALLENGE_BYTES;
  }
}
