package sluice.fs.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.fs.Blocks;
import sluice.fs.Stamps;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.BufferCaches;
import sluice.fs.storage.Journals;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// Tests concurrent readers, writers, write-back and eviction in a cache that is far too small. No
/// reader ever sees a mixture of two blocks or versions, a lease never changes, and no write is
/// lost.
@Timeout(300)
final class BufferCacheStressTest {
  private static final int BLOCK = 1024;
  private static final int BLOCKS = 400;
  private static final int MOST_RUN = 12;

  /// The time in which a machine must have executed every kind of operation once.
  private static final long TIMEOUT_NANOS = 60_000_000_000L;

  private final AtomicLongArray versions = new AtomicLongArray(BLOCKS);
  private final ConcurrentLinkedQueue<Throwable> problems = new ConcurrentLinkedQueue<>();
  private final AtomicLong reads = new AtomicLong();
  private final AtomicLong overwrites = new AtomicLong();
  private final AtomicLong runs = new AtomicLong();
  private final AtomicLong overwrittenRuns = new AtomicLong();

  private interface Job {
    void run(SplittableRandom random) throws IOException;
  }

  /// Runs the threads and checks all blocks at the end.
  ///
  /// @param frames far too few frames; or enough for all blocks, so that neighbouring blocks are in
  ///   neighbouring frames and are copied at once
  @ParameterizedTest(name = "virtual threads {0}, {1} frames")
  @CsvSource({"true, 96", "false, 96", "true, 600", "false, 600"})
  void mixturesAreNeverSeen(boolean virtual, int frames) throws Exception {
    long seed = Long.getLong("sluice.seed", 1);
    System.out.println("seed " + seed);
    BlockDevice device = BlockDevices.memory(BLOCKS * BLOCK);
    BufferCache cache = BufferCaches.open(device, BLOCK, (long) frames * BLOCK);
    Journal journal = Journals.plain(cache);
    for (int i = 0; i < BLOCKS; i++) {
      cache.read(i).close();
    }
    List<Thread> threads = new ArrayList<>();
    SplittableRandom random = new SplittableRandom(seed);
    long begin = System.nanoTime();
    long end = begin + 2_000_000_000L;
    BooleanSupplier goesOn =
        () -> {
          long now = System.nanoTime();
          return now - end < 0 || (!met(frames) && now - begin < TIMEOUT_NANOS);
        };
    Job[] jobs = {
      r -> copy(cache, r),
      r -> copy(cache, r),
      r -> copyRun(cache, r),
      r -> lease(cache, r),
      r -> read(cache, r),
      r -> write(journal, r),
      r -> write(journal, r),
      r -> overwrite(device, journal, r),
      r -> overwriteRun(journal, r),
      r -> peek(cache, r),
      r -> {
        switch (r.nextInt(3)) {
          case 0 -> journal.sync();
          case 1 -> cache.writeBack(10 * BLOCK);
          default -> cache.readAhead(r.nextInt(BLOCKS), 1 + r.nextInt(10));
        }
      },
    };
    for (Job job : jobs) {
      SplittableRandom own = random.split();
      Runnable loop =
          () -> {
            try {
              while (goesOn.getAsBoolean() && problems.isEmpty()) {
                job.run(own);
                if (virtual) {
                  LockSupport.parkNanos(1); // yields the carrier to the others
                }
              }
            } catch (IOException | RuntimeException | Error problem) {
              problems.add(problem);
            }
          };
      threads.add(virtual ? Thread.ofVirtual().start(loop) : Thread.ofPlatform().start(loop));
    }
    for (Thread thread : threads) {
      assertThat(thread.join(java.time.Duration.ofMinutes(2))).isTrue();
    }
    assertThat(problems).isEmpty();
    assertThat(met(frames))
        .as("%s reads, %s overwrites, runs %s, %s", reads, overwrites, runs, overwrittenRuns)
        .isTrue();
    journal.close();
    cache.close();
    assertAllThere(device);
    device.close();
  }

  /// Returns true if everything has happened at least once.
  private boolean met(int frames) {
    boolean one = reads.get() > 0 && overwrites.get() > 0;
    return one && runs.get() > 0 && (overwrittenRuns.get() > 0 || frames < BLOCKS);
  }

  private void assertAllThere(BlockDevice device) throws IOException {
    Block bytes = Blocks.of(BLOCK);
    for (int i = 0; i < BLOCKS; i++) {
      device.read((long) i * BLOCK, bytes, 0, BLOCK);
      assertThat(Stamps.version(bytes.segment(), i)).isEqualTo(versions.get(i));
    }
    bytes.release();
  }

  /// Picks a block: mostly one of a few hot blocks, sometimes any block.
  private static int pick(SplittableRandom random) {
    return random.nextInt(random.nextInt(4) == 0 ? BLOCKS : 12);
  }

  private void copy(BufferCache cache, SplittableRandom random) {
    Block target = Blocks.of(BLOCK);
    Memory memory = Memory.over(target, 0, BLOCK);
    for (int i = 0; i < 200; i++) {
      int block = pick(random);
      long before = versions.get(block);
      if (cache.copy(block, 0, memory, 0, BLOCK) != 0) {
        check(Stamps.version(target.segment(), block), block, before);
      }
    }
    memory.close();
    target.release();
  }

  /// Copies a run of blocks. Each must be whole, whatever happens to the others.
  private void copyRun(BufferCache cache, SplittableRandom random) {
    Block target = Blocks.of(MOST_RUN * BLOCK);
    Memory memory = Memory.over(target, 0, MOST_RUN * BLOCK);
    long[] before = new long[MOST_RUN];
    for (int i = 0; i < 50; i++) {
      int first = pick(random);
      int count = Math.min(1 + random.nextInt(MOST_RUN), BLOCKS - first);
      for (int j = 0; j < count; j++) {
        before[j] = versions.get(first + j);
      }
      int copied = cache.copy(first, 0, memory, 0, count * BLOCK) / BLOCK;
      for (int j = 0; j < copied; j++) {
        MemorySegment bytes = target.segment().asSlice((long) j * BLOCK, BLOCK);
        check(Stamps.version(bytes, first + j), first + j, before[j]);
      }
      runs.addAndGet(copied > 1 ? 1 : 0);
    }
    memory.close();
    target.release();
  }

  /// Overwrites one block several times, without a transaction if that is possible. Sometimes waits
  /// until the overwrites are stable and checks them.
  private void overwrite(BlockDevice device, Journal journal, SplittableRandom random)
      throws IOException {
    int block = pick(random);
    Block source = Blocks.of(BLOCK);
    Memory memory = Memory.over(source, 0, BLOCK);
    synchronized (locks[block]) {
      long version = versions.get(block);
      for (int i = 0; i < 20; i++) {
        version++;
        Stamps.write(source, block, version);
        if (journal.tryOverwrite(block, 0, memory, 0, BLOCK) == BLOCK) {
          overwrites.incrementAndGet();
        } else {
          try (Transaction transaction = journal.begin(0)) {
            transaction.overwrite(block, 1, memory, 0);
          }
        }
        versions.set(block, version);
      }
      if (random.nextInt(8) == 0) {
        journal.await(journal.point());
        device.read((long) block * BLOCK, source, 0, BLOCK);
        check(Stamps.version(source.segment(), block) == version ? version : -2, block, version);
      }
    }
    memory.close();
    source.release();
  }

  /// Overwrites consecutive blocks, many at once if that is possible.
  private void overwriteRun(Journal journal, SplittableRandom random) throws IOException {
    int first = random.nextBoolean() ? pick(random) : random.nextInt(BLOCKS);
    int count = Math.min(1 + random.nextInt(MOST_RUN), BLOCKS - first);
    Block source = Blocks.of((long) count * BLOCK);
    Memory memory = Memory.over(source, 0, (long) count * BLOCK);
    for (int i = 0; i < 4; i++) {
      locked(first, count, () -> overwriteRun(journal, first, count, memory));
    }
    memory.close();
    source.release();
  }

  private void overwriteRun(Journal journal, int first, int count, Memory memory)
      throws IOException {
    Block stamped = Blocks.of(BLOCK);
    for (int i = 0; i < count; i++) {
      Stamps.write(stamped, first + i, versions.get(first + i) + 1);
      memory.copyFrom(stamped, 0, (long) i * BLOCK, BLOCK);
    }
    stamped.release();
    int done = journal.tryOverwrite(first, 0, memory, 0, count * BLOCK) / BLOCK;
    overwrittenRuns.addAndGet(done > 1 ? 1 : 0);
    if (done < count) {
      try (Transaction transaction = journal.begin(0)) {
        transaction.overwrite(first + done, count - done, memory, (long) done * BLOCK);
      }
    }
    for (int i = 0; i < count; i++) {
      versions.incrementAndGet(first + i);
    }
  }

  private interface Change {
    void run() throws IOException;
  }

  /// Runs a change with the locks of blocks held, which are acquired in ascending order.
  private void locked(int first, int count, Change change) throws IOException {
    if (count == 0) {
      change.run();
      return;
    }
    synchronized (locks[first]) {
      locked(first + 1, count - 1, change);
    }
  }

  private void lease(BufferCache cache, SplittableRandom random) {
    int block = pick(random);
    long before = versions.get(block);
    Block leased = cache.lease(block);
    if (leased != null) {
      long version = Stamps.version(leased.segment(), block);
      check(version, block, before);
      for (int i = 0; i < 3; i++) {
        Thread.onSpinWait();
        check(Stamps.version(leased.segment(), block) == version ? version : -2, block, 0);
      }
      leased.release();
    }
  }

  private void read(BufferCache cache, SplittableRandom random) throws IOException {
    int block = pick(random);
    long before = versions.get(block);
    try (Buffer buffer = cache.read(block)) {
      check(Stamps.version(buffer.block().segment(), block), block, before);
    }
  }

  private void peek(BufferCache cache, SplittableRandom random) {
    int block = pick(random);
    long version = cache.peekInt(block, 8);
    if (version > versions.get(block) + 1) {
      throw new AssertionError("block " + block + " shows version " + version);
    }
  }

  /// Writes one block. Writers of one block take turns, as writers of a file do.
  private void write(Journal journal, SplittableRandom random) throws IOException {
    int block = pick(random);
    synchronized (locks[block]) {
      long version = versions.get(block) + 1;
      try (Transaction transaction = journal.begin(1);
          Buffer buffer = transaction.data(block, random.nextInt(3) == 0)) {
        Stamps.write(buffer.block(), block, version);
      }
      versions.set(block, version);
    }
  }

  private final Object[] locks = new Object[BLOCKS];

  {
    java.util.Arrays.setAll(locks, i -> new Object());
  }

  private void check(long version, int block, long least) {
    reads.incrementAndGet();
    if (version < least) {
      throw new AssertionError(
          "block " + block + " shows " + version + " and had " + least + " before");
    }
  }
}
