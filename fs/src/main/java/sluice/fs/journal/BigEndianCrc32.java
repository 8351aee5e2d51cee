package sluice.fs.journal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Computes a CRC-32 with the most significant bit first (`crc32_be` of Linux) that is seeded with
/// all ones. It is the checksum of a whole transaction in journals that have
/// `JBD2_FEATURE_COMPAT_CHECKSUM`. This class is not thread-safe.
final class BigEndianCrc32 {
  private static final int POLYNOMIAL = 0x04C11DB7;
  private static final int[] TABLE = new int[256];

  static {
    for (int i = 0; i < TABLE.length; i++) {
      int crc = i << 24;
      for (int bit = 0; bit < 8; bit++) {
        crc = crc < 0 ? (crc << 1) ^ POLYNOMIAL : crc << 1;
      }
      TABLE[i] = crc;
    }
  }

  private int crc = -1;

  void update(MemorySegment bytes) {
    for (long i = 0; i < bytes.byteSize(); i++) {
      crc = (crc << 8) ^ TABLE[((crc >>> 24) ^ bytes.get(ValueLayout.JAVA_BYTE, i)) & 0xFF];
    }
  }

  int value() {
    return crc;
  }

  void reset() {
    crc = -1;
  }
}
