package sluice.fs.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Blocks;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.BufferCaches;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// Tests that a scan does not evict blocks that are used repeatedly.
@Timeout(300)
final class BufferCacheScanTest {
  private static final int BLOCK = 4096;
  private static final int FRAMES = 1024;
  private static final int HOT = 600;

  /// The length of the device: 1 GB, whose pages are not allocated before they are written.
  private static final long DEVICE = 1L << 30;

  private final Block target = Blocks.of(BLOCK);
  private final Memory memory = Memory.over(target, 0, BLOCK);

  /// Reads a block as a file does: by copy, and through the cache if the copy finds nothing.
  private boolean read(BufferCache cache, long block, int pieces) throws IOException {
    boolean hit = true;
    for (int i = 0; i < pieces; i++) {
      if (cache.copy(block, i * (BLOCK / pieces), memory, 0, BLOCK / pieces) == 0) {
        cache.read(block).close();
        hit = false;
      }
    }
    return hit;
  }

  private int hits(BufferCache cache) throws IOException {
    int hits = 0;
    for (int i = 0; i < HOT; i++) {
      hits += read(cache, i * 7L, 1) ? 1 : 0;
    }
    return hits;
  }

  @Test
  void aScanOfAGigabyteLeavesTheHotBlocks() throws IOException {
    try (BlockDevice device = BlockDevices.memory(DEVICE);
        BufferCache cache = BufferCaches.open(device, BLOCK, (long) FRAMES * BLOCK)) {
      // The hot blocks are used over some time, during which other blocks are read too.
      for (int round = 0; round < 6; round++) {
        hits(cache);
        for (int i = 0; i < FRAMES / 8; i++) {
          read(cache, 100_000L + round * (long) FRAMES + i, 1);
        }
      }
      assertThat(hits(cache)).isGreaterThan(HOT * 9 / 10);
      for (long block = 5000; block < DEVICE / BLOCK; block++) {
        if (block % 64 == 0) {
          cache.readAhead(block + 64, 64);
        }
        read(cache, block, block % 3 == 0 ? 8 : 1); // some in small pieces
      }
      assertThat(hits(cache)).isGreaterThan(HOT * 9 / 10);
    } finally {
      memory.close();
      target.release();
    }
  }

  @Test
  void whatIsUsedNowReplacesWhatWasUsedLongAgo() throws IOException {
    try (BlockDevice device = BlockDevices.memory(DEVICE);
        BufferCache cache = BufferCaches.open(device, BLOCK, (long) FRAMES * BLOCK)) {
      for (int round = 0; round < 40; round++) {
        long from = round < 10 ? 0 : 50_000;
        for (int i = 0; i < 800; i++) {
          read(cache, from + i, 1);
        }
      }
      int hits = 0;
      for (int i = 0; i < 800; i++) {
        hits += cache.peekInt(50_000 + i, 0) >= 0 ? 1 : 0;
      }
      assertThat(hits).isGreaterThan(700);
    } finally {
      memory.close();
      target.release();
    }
  }
}
