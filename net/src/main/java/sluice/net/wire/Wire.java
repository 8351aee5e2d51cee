package sluice.net.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// Reads and writes numbers in network byte order at any offset. This class is stateless.
final class Wire {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private Wire() {}

  static int u8(MemorySegment memory, long at) {
    return memory.get(BYTE, at) & 0xff;
  }

  static void u8(MemorySegment memory, long at, int value) {
    memory.set(BYTE, at, (byte) value);
  }

  static int u16(MemorySegment memory, long at) {
    return memory.get(SHORT, at) & 0xffff;
  }

  static void u16(MemorySegment memory, long at, int value) {
    memory.set(SHORT, at, (short) value);
  }

  static int u32(MemorySegment memory, long at) {
    return memory.get(INT, at);
  }

  static void u32(MemorySegment memory, long at, int value) {
    memory.set(INT, at, value);
  }

  static void u64(MemorySegment memory, long at, long value) {
    memory.set(LONG, at, value);
  }

  /// Returns a number of six bytes.
  static long u48(MemorySegment memory, long at) {
    return (long) u16(memory, at) << 32 | (memory.get(INT, at + 2) & 0xffff_ffffL);
  }

  static void u48(MemorySegment memory, long at, long value) {
    u16(memory, at, (int) (value >>> 32));
    u32(memory, at + 2, (int) value);
  }
}
