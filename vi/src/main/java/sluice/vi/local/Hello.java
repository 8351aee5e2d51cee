package sluice.vi.local;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import sluice.vi.device.PortSpec;

/// The first packet of a connection: what the connecting side wants, and where the memory is.
/// Immutable.
///
/// ```
///  byte 0       4       8       12              16         20        24
///      +--------+-------+-------+---------------+----------+---------+
///      | "SlVi" | tag   | flags | transferBytes | ringBytes| fd      |
///      +--------+-------+-------+---------------+----------+---------+
/// ```
///
/// The answer is one packet too: `"SlVi"`, a [Verdict], and the `transferBytes` both sides keep.
///
/// @param fd of the memory file, in the connecting process
record Hello(int tag, int flags, int transferBytes, int ringBytes, int fd) {
  static final int BYTES = 24;
  static final int ANSWER_BYTES = 12;

  /// Least and largest ring, powers of two.
  static final int MIN_RING_BYTES = 1 << 14;

  static final int MAX_RING_BYTES = 1 << 26;

  private static final int MAGIC = 0x6956_6c53;
  private static final int DISCARDS = 1;
  private static final int ACKNOWLEDGED = 2;

  /// What the accepting side answers.
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

  /// Reads a packet of [#BYTES] bytes. The numbers are the peer's: see [#isSound].
  static Hello read(MemorySegment packet) {
    int tag = packet.get(JAVA_INT, 0) == MAGIC ? packet.get(JAVA_INT, 4) : -1;
    return new Hello(
        tag,
        packet.get(JAVA_INT, 8),
        packet.get(JAVA_INT, 12),
        packet.get(JAVA_INT, 16),
        packet.get(JAVA_INT, 20));
  }

  /// Whether the numbers are ones that this side would use itself.
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
    /// @param length bytes of the packet that came
    static Answer read(MemorySegment packet, int length) throws RingViolation {
      if (length != ANSWER_BYTES || packet.get(JAVA_INT, 0) != MAGIC) {
        throw new RingViolation("the listener's answer is none of this protocol");
      }
      return new Answer(Verdict.of(packet.get(JAVA_INT, 4)), packet.get(JAVA_INT, 8));
    }
  }
}
