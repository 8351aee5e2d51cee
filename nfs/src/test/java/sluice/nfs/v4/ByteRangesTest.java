package sluice.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/// Compares byte ranges with a table that has one entry per byte.
final class ByteRangesTest {
  private static final int BYTES = 40;

  @Test
  void rangesAreWhatATableSays() {
    long seed = Long.getLong("sluice.seed", 1);
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      ByteRanges ranges = new ByteRanges();
      int[] table = new int[BYTES];
      for (int step = 0; step < 60; step++) {
        int from = random.nextInt(BYTES);
        int to = from + random.nextInt(BYTES - from);
        int kind = random.nextInt(3);
        if (kind == 0) {
          ranges.unlock(from, to);
        } else {
          ranges.lock(from, to, kind == 2);
        }
        java.util.Arrays.fill(table, from, to + 1, kind);
        check(ranges, table, "seed " + seed + ", round " + round + ", step " + step);
      }
    }
  }

  private static void check(ByteRanges ranges, int[] table, String what) {
    int index = 0;
    int at = 0;
    while (at < BYTES) {
      int end = at;
      while (end + 1 < BYTES && table[end + 1] == table[at]) {
        end++;
      }
      if (table[at] != 0) {
        assertThat(ranges.count()).as(what).isGreaterThan(index);
        assertThat(ranges.start(index)).as(what).isEqualTo(at);
        assertThat(ranges.end(index)).as(what).isEqualTo(end);
        assertThat(ranges.isWrite(index)).as(what).isEqualTo(table[at] == 2);
        index++;
      }
      at = end + 1;
    }
    assertThat(ranges.count()).as(what).isEqualTo(index);
    for (int byteAt = 0; byteAt < BYTES; byteAt++) {
      assertThat(ranges.conflict(byteAt, byteAt, true) >= 0).isEqualTo(table[byteAt] != 0);
      assertThat(ranges.conflict(byteAt, byteAt, false) >= 0).isEqualTo(table[byteAt] == 2);
    }
  }

  @Test
  void theLastByteOfAllCanBeLocked() {
    ByteRanges ranges = new ByteRanges();
    ranges.lock(10, -1, true);
    assertThat(ranges.conflict(Long.MIN_VALUE, Long.MIN_VALUE, false)).isZero();
    assertThat(ranges.conflict(0, 9, true)).isEqualTo(-1);
    ranges.unlock(-1, -1);
    assertThat(ranges.end(0)).isEqualTo(-2);
    ranges.lock(0, -1, false);
    assertThat(ranges.count()).isEqualTo(1);
  }
}
