package sluice.fs.ext2.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.Buffer;
import sluice.fs.block.BufferCache;
import sluice.fs.block.Journal;
import sluice.fs.block.Transaction;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.BufferCaches;
import sluice.fs.storage.Journals;

/// Compares runs of bits with `BitSet`.
final class BitRunTest {
  private static final int BLOCK = 1024;
  private static final int BITS = BLOCK * 8;

  @Test
  void runsAreAsBitByBit() throws IOException {
    SplittableRandom random = new SplittableRandom(7);
    try (BlockDevice device = BlockDevices.memory(64 * BLOCK);
        BufferCache cache = BufferCaches.open(device, BLOCK, 64 * BLOCK);
        Journal journal = Journals.plain(cache);
        Transaction transaction = journal.begin(1);
        Buffer bitmap = transaction.create(5)) {
      BitSet expected = new BitSet(BITS);
      long[] busy = new long[BITS / 64];
      BitSet waits = new BitSet(BITS);
      for (int i = 0; i < 4000; i++) {
        int from = pick(random);
        int to = random.nextBoolean() ? Math.min(BITS, from + random.nextInt(200)) : pick(random);
        if (from > to) {
          continue;
        }
        switch (random.nextInt(3)) {
          case 0 -> {
            BitRun.set(bitmap, from, to);
            expected.set(from, to);
          }
          case 1 -> {
            BitRun.clear(bitmap, from, to);
            expected.clear(from, to);
          }
          default -> {
            int bit = from & BITS - 1;
            busy[bit >> 6] ^= 1L << bit;
            waits.flip(bit);
          }
        }
        assertSame(bitmap, expected, busy, waits, from, to);
      }
      for (int bit = 0; bit < BITS; bit++) {
        assertThat((bitmap.getByte(bit >> 3) >> (bit & 7) & 1) != 0).isEqualTo(expected.get(bit));
      }
    }
  }

  private static void assertSame(
      Buffer bitmap, BitSet expected, long[] busy, BitSet waits, int from, int to) {
    int set = first(expected.nextSetBit(from), to);
    assertThat(BitRun.firstSet(bitmap, null, from, to)).isEqualTo(set);
    int wait = first(waits.nextSetBit(from), to);
    assertThat(BitRun.firstSet(bitmap, busy, from, to)).isEqualTo(Math.min(set, wait));
    int clear = first(expected.nextClearBit(from), to);
    assertThat(BitRun.firstClear(bitmap, from, to)).isEqualTo(clear);
  }

  private static int first(int found, int to) {
    return found < 0 ? to : Math.min(found, to);
  }

  /// Returns a bit, often the beginning of a word or the end of the block.
  private static int pick(SplittableRandom random) {
    int bit = random.nextInt(BITS + 1);
    return random.nextInt(3) == 0 ? bit & -64 : bit;
  }
}
