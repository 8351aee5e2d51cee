package sluice.http.files;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.http.site.Compression;
import sluice.memory.Account;

class PrecompressTest {
  private final Account memory = new Account("test", 4 << 20);

  private static byte[] text(int length, long seed) {
    byte[] bytes = new byte[length];
    Random random = new Random(seed);
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) ('a' + random.nextInt(8));
    }
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(ints = {256, 257, 5_000, 65_536, 1 << 20})
  void unpacksToTheSame(int length) throws IOException {
    byte[] plain = text(length, length);
    for (int level : new int[] {1, 6, 9}) {
      Precompress.Compressed made =
          requireNonNull(Precompress.gzip(MemorySegment.ofArray(plain), level, memory));
      byte[] packed = made.block().segment().toArray(ValueLayout.JAVA_BYTE);
      assertThat(packed.length).isLessThanOrEqualTo(length - length / 10);
      try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
        assertThat(Arrays.equals(in.readAllBytes(), plain)).isTrue();
      }
      made.block().release();
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void givesUpWhenItDoesNotPay() {
    byte[] noise = new byte[100_000];
    new Random(7).nextBytes(noise);
    assertThat(Precompress.gzip(MemorySegment.ofArray(noise), 6, memory)).isNull();
    assertThat(Compression.DEFAULT.fits(255)).isFalse();
    assertThat(Compression.DEFAULT.fits((1 << 20) + 1)).isFalse();
  }

  @Test
  void givesUpWithoutMemory() {
    Account small = new Account("small", 10);
    MemorySegment plain = MemorySegment.ofArray(text(5_000, 1));
    assertThat(Precompress.gzip(plain, 6, small)).isNull();
    assertThat(small.usedBytes()).isZero();
  }

  @Test
  void equalBytesGiveEqualBytes() {
    MemorySegment plain = MemorySegment.ofArray(text(5_000, 1));
    Precompress.Compressed one = requireNonNull(Precompress.gzip(plain, 6, memory));
    Precompress.Compressed two = requireNonNull(Precompress.gzip(plain, 6, memory));
    Precompress.Compressed other = requireNonNull(Precompress.gzip(plain, 1, memory));
    assertThat(one.checksum()).isEqualTo(two.checksum()).isNotEqualTo(other.checksum());
    one.block().release();
    two.block().release();
    other.block().release();
  }
}
