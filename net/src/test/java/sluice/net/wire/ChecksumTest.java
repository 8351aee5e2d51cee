package sluice.net.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Compares the checksum with a loop that adds one 16-bit word at a time.
@Timeout(60)
class ChecksumTest {
  private static int plainSum(MemorySegment memory, long at, int bytes) {
    long sum = 0;
    for (int i = 0; i < bytes; i += 2) {
      int high = memory.get(ValueLayout.JAVA_BYTE, at + i) & 0xff;
      int low = i + 1 < bytes ? memory.get(ValueLayout.JAVA_BYTE, at + i + 1) & 0xff : 0;
      sum += high << 8 | low;
    }
    while (sum >>> 16 != 0) {
      sum = (sum & 0xffff) + (sum >>> 16);
    }
    return (int) sum;
  }

  @Test
  void isThatOfAPlainSumAtEachLengthAndOffset() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(1 << 16);
      byte[] bytes = new byte[1 << 16];
      random.nextBytes(bytes);
      memory.copyFrom(MemorySegment.ofArray(bytes));
      for (int length = 0; length < 300; length++) {
        for (int at = 0; at < 9; at++) {
          assertThat(Checksum.sum(memory, at, length))
              .as("seed %d, %d bytes at %d", seed, length, at)
              .isEqualTo(plainSum(memory, at, length));
        }
      }
      for (int i = 0; i < 200; i++) {
        int length = random.nextInt(bytes.length);
        int at = random.nextInt(bytes.length - length);
        assertThat(Checksum.sum(memory, at, length))
            .as("seed %d, %d bytes at %d", seed, length, at)
            .isEqualTo(plainSum(memory, at, length));
      }
    }
  }

  @Test
  void carriesOfTheLongestPacketFit() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(1 << 16).fill((byte) 0xff);
      assertThat(Checksum.sum(memory, 0, 1 << 16)).isEqualTo(0xffff);
      assertThat(Checksum.sum(memory, 1, 65_535)).isEqualTo(plainSum(memory, 1, 65_535));
      memory.fill((byte) 0);
      assertThat(Checksum.sum(memory, 0, 1 << 16)).isZero();
    }
  }

  /// Checks the example of RFC 1071, section 3.
  @Test
  void theExampleOfTheRfc() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(8);
      long[] words = {0x0001, 0xf203, 0xf4f5, 0xf6f7};
      for (int i = 0; i < words.length; i++) {
        Wire.u16(memory, 2L * i, (int) words[i]);
      }
      assertThat(Checksum.sum(memory, 0, 8)).isEqualTo(0xddf2);
      assertThat(Checksum.finish(0xddf2)).isEqualTo(0x220d);
      assertThat(Checksum.add(0xffff, 0xffff)).isEqualTo(0xffff);
    }
  }

  @Test
  void anEchoBecomesItsReplyWithAGoodChecksum() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(64);
      for (int i = 0; i < 70_000; i++) {
        IcmpHeader.write(memory, 0, IcmpHeader.ECHO << 8, i * 0x1_0001, 16);
        assertThat(Checksum.sum(memory, 0, 16)).isEqualTo(0xffff);
        IcmpHeader.toReply(memory, 0);
        assertThat(IcmpHeader.type(memory, 0)).isEqualTo(IcmpHeader.ECHO_REPLY);
        assertThat(Checksum.sum(memory, 0, 16)).isEqualTo(0xffff);
      }
    }
  }
}
