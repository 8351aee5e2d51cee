package sluice.fs.block;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.Locale;
import sluice.fs.Blocks;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.BufferCaches;
import sluice.fs.storage.Journals;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// Measures the cost of the cache when it contains every requested block. Run by hand: `java
/// --enable-native-access=ALL-UNNAMED -cp … sluice.fs.block.CacheBench`.
final class CacheBench {
  private static final int BLOCK = 4096;
  private static final long ROUND_NANOS = 100_000_000L;
  private static final int ROUNDS = 12;

  private interface Pass {
    long over(int blocks) throws IOException;
  }

  private static long sink;

  private CacheBench() {}

  public static void main(String[] arguments) throws IOException {
    try (BlockDevice device = BlockDevices.memory(64 << 20);
        BufferCache cache = BufferCaches.open(device, BLOCK, 128 << 20)) {
      Journal journal = Journals.plain(cache);
      Block block = Blocks.of(BLOCK);
      Memory memory = Memory.over(block, 0, BLOCK);
      for (int i = 0; i < (64 << 20) / BLOCK; i++) {
        cache.read(i).close();
      }
      for (int blocks : new int[] {1, 16, 4096}) {
        print("copy 4 KB", blocks, n -> copy(cache, memory, n));
        print("lease, read 8 bytes, release", blocks, n -> lease(cache, n));
        print("read, 4 bytes, close", blocks, n -> read(cache, n));
        print("peek at 4 bytes", blocks, n -> peek(cache, n));
        print("rewrite 4 KB", blocks, n -> rewrite(journal, memory, n));
      }
      journal.close();
      memory.close();
      block.release();
    }
    System.out.println(sink == 42 ? "" : "done");
  }

  private static void print(String what, int blocks, Pass pass) throws IOException {
    double best = Double.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      long begin = System.nanoTime();
      long passes = 0;
      long now;
      do {
        sink += pass.over(blocks);
        passes++;
        now = System.nanoTime();
      } while (now - begin < ROUND_NANOS);
      best = Math.min(best, (now - begin) / (double) (passes * blocks));
    }
    System.out.printf(Locale.ROOT, "%-30s %5d blocks %8.1f ns%n", what, blocks, best);
  }

  private static long copy(BufferCache cache, Memory memory, int blocks) {
    long done = 0;
    for (int i = 0; i < blocks; i++) {
      done += cache.copy(i, 0, memory, 0, BLOCK);
    }
    return done;
  }

  private static long lease(BufferCache cache, int blocks) {
    long sum = 0;
    for (int i = 0; i < blocks; i++) {
      Block leased = cache.lease(i);
      if (leased != null) {
        sum += leased.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, 8);
        leased.release();
      }
    }
    return sum;
  }

  private static long read(BufferCache cache, int blocks) throws IOException {
    long sum = 0;
    for (int i = 0; i < blocks; i++) {
      try (Buffer buffer = cache.read(i)) {
        sum += buffer.getInt(8);
      }
    }
    return sum;
  }

  private static long peek(BufferCache cache, int blocks) {
    long sum = 0;
    for (int i = 0; i < blocks; i++) {
      sum += cache.peekInt(i, 8);
    }
    return sum;
  }

  private static long rewrite(Journal journal, Memory memory, int blocks) throws IOException {
    for (int i = 0; i < blocks; i++) {
      try (Transaction transaction = journal.begin(0);
          Buffer buffer = transaction.data(i, false)) {
        memory.copyTo(0, buffer.block(), 0, BLOCK);
      }
    }
    return blocks;
  }
}
