package sluice.bench.packets;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Random;
import sluice.net.wire.Checksum;

/// Computes the checksum of packets repeatedly, beside two ways to read as many bytes: a copy, and
/// the loop over 16-bit words of RFC 1071, 4.1. Used by one thread.
///
/// The packets are in consecutive frames, as many as fit into a processor's second-level cache.
final class ChecksumLoop {
  static final String SUM = "sluice/sum";
  static final String COPY = "jdk/copy";
  static final String WORDS = "jdk/words";

  private static final ValueLayout.OfShort WORD =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final int FRAMES = 64;
  private static final int FRAME_BYTES = 2048;

  /// The bytes of the Ethernet and IPv4 headers: the offset in a frame at which the sum of UDP
  /// begins.
  private static final int HEADERS = 34;

  private final String system;
  private final int bytes;
  private final MemorySegment frames = Arena.ofAuto().allocate(FRAMES * FRAME_BYTES, 64);
  private final MemorySegment target = Arena.ofAuto().allocate(FRAME_BYTES, 64);
  private int kept;

  ChecksumLoop(String system, int bytes) {
    this.system = system;
    this.bytes = bytes;
    Random random = new Random(1);
    for (long i = 0; i < frames.byteSize(); i++) {
      frames.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
    }
  }

  /// Returns the nanoseconds for each packet.
  double nanosEach(long nanos) {
    long start = System.nanoTime();
    long packets = 0;
    long now = start;
    while (now - start < nanos) {
      kept +=
          switch (system) {
            case SUM -> sums();
            case COPY -> copies();
            case WORDS -> words();
            default -> throw new IllegalArgumentException(system);
          };
      packets += FRAMES;
      now = System.nanoTime();
    }
    return (double) (now - start) / packets + (kept == 0 ? 1e-9 : 0); // so that sums are needed
  }

  private int sums() {
    int all = 0;
    for (int i = 0; i < FRAMES; i++) {
      all += Checksum.sum(frames, (long) i * FRAME_BYTES + HEADERS, bytes);
    }
    return all;
  }

  private int copies() {
    for (int i = 0; i < FRAMES; i++) {
      MemorySegment.copy(frames, (long) i * FRAME_BYTES + HEADERS, target, 0, bytes);
    }
    return target.get(ValueLayout.JAVA_BYTE, 0);
  }

  private int words() {
    int all = 0;
    for (int i = 0; i < FRAMES; i++) {
      long at = (long) i * FRAME_BYTES + HEADERS;
      int sum = 0;
      for (int j = 0; j < bytes; j += 2) {
        sum += frames.get(WORD, at + j) & 0xffff;
      }
      all += (sum & 0xffff) + (sum >>> 16);
    }
    return all;
  }
}
