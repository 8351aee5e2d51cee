package sluice.vi.local;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/// The layout of the memory that two processes share: two directions, each with one page of control
/// lines, a ring of slots, and a ring of bytes for fragments that do not fit into a slot.
///
/// ```
///  direction 0 (from the connecting side)         direction 1 (from the accepting side)
///  +-----------+------------------+------------+  +-----------+------------------+------------+
///  | control   | 256 slots, 16 KB | ringBytes  |  | control   | 256 slots, 16 KB | ringBytes  |
///  +-----------+------------------+------------+  +-----------+------------------+------------+
///
///  control, a cache line pair for what one side writes (the processor fetches lines in pairs):
///  byte   0  consumed   slots that the receiver has taken out
///  byte   8  posted     receives that the receiver has posted so far
///  byte 128  asleep     1 while the RECEIVER of this direction sleeps
///
///  slot, one cache line:
///  byte 0           8            12           16                                64
///       +-----------+------------+------------+---------------------------------+
///       | sequence  | fragment   | message    | up to 48 bytes of the message   |
///       +-----------+------------+------------+---------------------------------+
/// ```
///
/// The sequence is the number of the fragment, from 1; it is written last. Which bytes of the byte
/// ring a fragment occupies follows from the lengths of all fragments before it ([DataCursor]), so
/// neither side takes a position from the other.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | sequence | sender | acquire | release |
/// | fragment, message, bytes | sender | plain, once each, after sequence | plain, before sequence |
/// | consumed, posted | receiver | acquire | release |
/// | asleep | receiver sets, sender clears | volatile | volatile |
///
/// Both processes may write everything at any time; a reader of a field that the peer writes checks
/// it against its own state.
final class RingLayout {
  static final int LINE = 64;
  static final int SLOTS = 256;
  static final int SLOT_MASK = SLOTS - 1;
  static final int INLINE_BYTES = 48;

  static final int SEQUENCE = 0;
  static final int FRAGMENT = 8;
  static final int MESSAGE = 12;
  static final int BYTES = 16;

  static final int CONSUMED = 0;
  static final int POSTED = 8;
  static final int ASLEEP = 128;

  static final int CONTROL_BYTES = 4096;
  static final int SLOTS_AT = CONTROL_BYTES;
  static final int DATA_AT = SLOTS_AT + SLOTS * LINE;

  /// The handles with coordinates `(segment, offset)` for 64 and 32 bits.
  static final VarHandle LONG = JAVA_LONG.varHandle().withInvokeExactBehavior();

  static final VarHandle INT = JAVA_INT.varHandle().withInvokeExactBehavior();

  private RingLayout() {}

  static long directionBytes(int ringBytes) {
    return DATA_AT + (long) ringBytes;
  }

  static long totalBytes(int ringBytes) {
    return 2 * directionBytes(ringBytes);
  }

  /// Returns the maximum part of a message that is stored in the ring at once. The receiver can
  /// copy one part while the sender copies the next.
  static int fragmentBytes(int ringBytes) {
    return ringBytes / 8;
  }

  static MemorySegment direction(MemorySegment whole, int which, int ringBytes) {
    long bytes = directionBytes(ringBytes);
    return whole.asSlice(which * bytes, bytes);
  }

  static long slot(long sequence) {
    return SLOTS_AT + ((sequence - 1) & SLOT_MASK) * LINE;
  }
}
