package sluice.vi.local;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import sluice.vi.device.PortSpec;

/// The first packet of a connection: the request of the connecting side, with the location of the
/// memory. Immutable.
///
/// ```
///  byte 0       4       8       12              16         20        24
///      +--------+-------+-------+---------------+----------+---------+
///      | "SlVi" | tag   | flags | transferBytes | ringBytes| fd      |
///      +--------+-------+-------+---------------+----------+---------+
/// ```
///
/// The answer is also one packet: `"SlVi"`, a [Verdict], and the `transferBytes` that apply to both
/// sides.
///
/// @param fd the descriptor of the memory file, in the connecting process
record Hello(int tag, int flags, int transferBytes, int ringBytes, int fd) {
  static final int BYTES = 24;
  static final int ANSWER_BYTES = 12;

  /// The minimum and maximum ring sizes, which are powers of two.
  static final int MIN_RING_BYTES = 1 << 14;

  static final int MAX_RING_BYTES = 1 << 26;

  private static final int MAGIC = 0x6956_6c53;
  private static final int DISCARDS = 1;
  private static final int ACKNOWLEDGED = 2;

  /// The answer of the accepting side.
  enum Verdict {
    ACCEPTED(1),
    OTHER_RELIABILITY(2),
    BAD_MEMORY(3);

    private final int code;

    Verdict(int code) {
      this.code = code;
    }

    static Verdict of(int code) throws RingViolation {
      for (Verdict each : values()) {
        if (each.code == code) {
          return each;
        }
      }
      throw new RingViolation("the listener's answer is none of this protocol");
    }
  }

  static Hello of(PortSpec spec, int fd) {
    return new Hello(spec.tag(), flags(spec), spec.transferBytes(), spec.ringBytes(), fd);
  }

  static int flags(PortSpec spec) {
    return (spec.discards() ? DISCARDS : 0) | (spec.acknowledged() ? ACKNOWLEDGED : 0);
  }

  void write(MemorySegment packet) {
    packet.set(JAVA_INT, 0, MAGIC);
    packet.set(JAVA_INT, 4, tag);
    packet.set(JAVA_INT, 8, flags);
    packet.set(JAVA_INT, 12, transferBytes);
    packet.set(JAVA_INT, 16, ringBytes);
    packet.set(JAVA_INT, 20, fd);
  }

  /// Reads a packet of [#BYTES] bytes. The values come from the peer and must be checked by
  /// [#isSound].
  static Hello read(MemorySegment packet) {
    int tag = packet.get(JAVA_INT, 0) == MAGIC ? packet.get(JAVA_INT, 4) : -1;
    return new Hello(
        tag,
        packet.get(JAVA_INT, 8),
        packet.get(JAVA_INT, 12),
        packet.get(JAVA_INT, 16),
        packet.get(JAVA_INT, 20));
  }

  /// Returns true if the values are within the limits of this side.
  boolean isSound(int wantedTag) {
    return tag == wantedTag
        && transferBytes > 0
        && Integer.bitCount(ringBytes) == 1
        && ringBytes >= MIN_RING_BYTES
        && ringBytes <= MAX_RING_BYTES
        && fd >= 0;
  }

  static void writeAnswer(MemorySegment packet, Verdict verdict, int transferBytes) {
    packet.set(JAVA_INT, 0, MAGIC);
    packet.set(JAVA_INT, 4, verdict.code);
    packet.set(JAVA_INT, 8, transferBytes);
  }

  /// An answer.
  record Answer(Verdict verdict, int transferBytes) {
    /// Reads an answer.
    ///
    /// @param length the length of the received packet in bytes
    static Answer read(MemorySegment packet, int length) throws RingViolation {
      if (length != ANSWER_BYTES || packet.get(JAVA_INT, 0) != MAGIC) {
        throw new RingViolation("the listener's answer is none of this protocol");
      }
      return new Answer(Verdict.of(packet.get(JAVA_INT, 4)), packet.get(JAVA_INT, 8));
    }
  }
}
