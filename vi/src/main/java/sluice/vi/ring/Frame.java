package sluice.vi.ring;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import sluice.vi.device.PortSpec;

/// The wire format, with numbers in network order. Stateless.
///
/// ```
///  byte 0      4      8      12            16
///      +------+------+------+-------------+
///      | SlVr | tag  | flags| most bytes  |    the connecting side's first words
///      +------+------+------+-------------+
///      | SlVr | verdict     | most bytes  |    the answer, 12 bytes: verdict of 4
///      +------+-------------+-------------+
///
///      +------+--------+----------------
///      | kind | number |  a message of so many bytes, when the kind is MESSAGE
///      +------+--------+----------------
/// ```
final class Frame {
  static final int MAGIC = 0x536c_5672;
  static final int HELLO_BYTES = 16;
  static final int ANSWER_BYTES = 12;
  static final int HEAD_BYTES = 8;

  /// The kind of a message, in which case the number is its length.
  static final int MESSAGE = 1;

  /// The kind of an acknowledgement, in which case the number is that of additional messages in the
  /// receiver's buffers.
  static final int TAKEN = 2;

  /// The kind that indicates that the sender has closed its end.
  static final int CLOSED = 3;

  /// The kind that indicates that the sender's end has failed.
  static final int FAILED = 4;

  static final int ACCEPTED = 1;
  static final int OTHER_RELIABILITY = 2;
  static final int NO_TAG = 3;

  private static final int DISCARDS = 1;
  private static final int ACKNOWLEDGED = 2;

  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private Frame() {}

  static int flags(PortSpec spec) {
    return (spec.discards() ? DISCARDS : 0) | (spec.acknowledged() ? ACKNOWLEDGED : 0);
  }

  static void head(MemorySegment memory, long at, int kind, int number) {
    memory.set(INT, at, kind);
    memory.set(INT, at + 4, number);
  }

  static int hello(MemorySegment memory, PortSpec spec) {
    memory.set(INT, 0, MAGIC);
    memory.set(INT, 4, spec.tag());
    memory.set(INT, 8, flags(spec));
    memory.set(INT, 12, spec.transferBytes());
    return HELLO_BYTES;
  }

  static int answer(MemorySegment memory, int verdict, int transferBytes) {
    memory.set(INT, 0, MAGIC);
    memory.set(INT, 4, verdict);
    memory.set(INT, 8, transferBytes);
    return ANSWER_BYTES;
  }

  static int number(byte[] bytes, int at) {
    return MemorySegment.ofArray(bytes).get(INT, at);
  }

  /// Returns the kind in a header that was assembled byte by byte.
  static int kind(long head) {
    return (int) (head >>> 32);
  }

  static int number(long head) {
    return (int) head;
  }
}
