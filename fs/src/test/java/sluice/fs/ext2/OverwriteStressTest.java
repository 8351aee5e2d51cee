package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.fs.AttributeChange;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.Images;
import sluice.fs.NewFile;
import sluice.fs.Stamps;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.storage.BlockDevices;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// Tests two files that exchange blocks while they are overwritten, read in long records, and
/// synced. No reader sees a torn block, a block that is older than the last write before the read,
/// or a block of the other file, and no write is lost.
@Timeout(300)
final class OverwriteStressTest {
  private static final int BLOCK = 1024;
  private static final int BLOCKS = 40;
  private static final int FILES = 2;
  private static final long RUN_NANOS = 2_000_000_000L;

  /// The time in which a thread must have read something.
  private static final long TIMEOUT_NANOS = 60_000_000_000L;

  private static final long IMAGE_BYTES = 1L << 20;

  private final AtomicLongArray versions = new AtomicLongArray(FILES * BLOCKS);
  private final AtomicLong looked = new AtomicLong();
  private final ConcurrentLinkedQueue<Throwable> problems = new ConcurrentLinkedQueue<>();
  private final long[] inodes = new long[FILES];
  private final Object[] locks = {new Object(), new Object()};

  private interface Job {
    void run(SplittableRandom random, Memory memory, MemorySegment bytes) throws IOException;
  }

  @ParameterizedTest(name = "journal {0}")
  @ValueSource(booleans = {true, false})
  void recordsAreWhole(boolean journaled) throws Exception {
    long seed = Long.getLong("sluice.seed", 1);
    System.out.println("seed " + seed);
    long bytes = journaled ? 4 * IMAGE_BYTES : IMAGE_BYTES;
    try (BlockDevice device = BlockDevices.memory(bytes)) {
      FormatOptions format = FormatOptions.forDevice(bytes).withBlockBytes(BLOCK);
      Ext2Format.format(device, format.withJournalBlocks(journaled ? 1024 : 0), _ -> {});
      try (Ext2 tree = Ext2.mount(device, MountOptions.defaults().withCacheBytes(4 << 20))) {
        for (int i = 0; i < FILES; i++) {
          byte[] name = Ext2Rig.name("f" + i);
          inodes[i] = tree.create(Caller.ROOT, tree.rootInode(), name, NewFile.regular(0644));
        }
        share(tree, new SplittableRandom(seed));
      }
      assertThat(problems).isEmpty();
      assertThat(looked.get()).isPositive();
      assertThat(Images.problems(device)).isEmpty();
      try (Ext2 tree = Ext2.mount(device, MountOptions.defaults().withCacheBytes(4 << 20))) {
        use(
            (random, memory, segment) -> {
              read(tree, 0, BLOCKS, 0, memory, segment);
              read(tree, 0, BLOCKS, 1, memory, segment);
            },
            new SplittableRandom(seed));
      }
    }
  }

  private void share(Ext2 tree, SplittableRandom random) throws InterruptedException {
    Job[] jobs = {
      (r, memory, _) -> write(tree, r, memory),
      (r, memory, _) -> write(tree, r, memory),
      (r, memory, bytes) -> read(tree, r, memory, bytes),
      (r, memory, bytes) -> read(tree, r, memory, bytes),
      (r, memory, _) -> cut(tree, r, memory),
    };
    long begin = System.nanoTime();
    BooleanSupplier goesOn =
        () -> {
          long passed = System.nanoTime() - begin;
          return passed < RUN_NANOS || (looked.get() == 0 && passed < TIMEOUT_NANOS);
        };
    List<Thread> threads = new ArrayList<>();
    for (Job job : jobs) {
      SplittableRandom own = random.split();
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                try {
                  use(
                      (r, memory, bytes) -> {
                        while (goesOn.getAsBoolean() && problems.isEmpty()) {
                          job.run(r, memory, bytes);
                        }
                      },
                      own);
                } catch (IOException | RuntimeException | Error problem) {
                  problems.add(problem);
                }
              }));
    }
    for (Thread thread : threads) {
      assertThat(thread.join(Duration.ofMinutes(2))).isTrue();
    }
  }

  private static void use(Job job, SplittableRandom random) throws IOException {
    Block block = Blocks.of(BLOCKS * BLOCK);
    try (Memory memory = Memory.over(block, 0, BLOCKS * BLOCK)) {
      job.run(random, memory, block.segment());
    } finally {
      block.release();
    }
  }

  /// Returns a number that identifies the file and the block.
  private static long number(int file, int block) {
    return 1 + (long) file * BLOCKS + block;
  }

  private void write(Ext2 tree, SplittableRandom random, Memory memory) throws IOException {
    int file = random.nextInt(FILES);
    synchronized (locks[file]) {
      long end = tree.attributes(inodes[file]).sizeBytes() / BLOCK;
      int first = random.nextInt((int) Math.min(end + 1, BLOCKS));
      for (int i = 0; i < 10; i++) {
        put(tree, file, first, 1 + random.nextInt(Math.min(8, BLOCKS - first)), memory);
      }
    }
    if (random.nextInt(20) == 0) {
      tree.sync(inodes[file], true);
    }
  }

  /// Writes blocks; called with the file's lock held.
  private void put(Ext2 tree, int file, int first, int count, Memory memory) throws IOException {
    Block stamped = Blocks.of(BLOCK);
    long[] next = new long[count];
    for (int i = 0; i < count; i++) {
      next[i] = versions.get(file * BLOCKS + first + i) + 1;
      Stamps.write(stamped, number(file, first + i), next[i]);
      memory.copyFrom(stamped, 0, (long) i * BLOCK, BLOCK);
    }
    stamped.release();
    int bytes = count * BLOCK;
    long position = (long) first * BLOCK;
    assertThat(tree.write(Caller.ROOT, inodes[file], position, memory, 0, bytes)).isEqualTo(bytes);
    for (int i = 0; i < count; i++) {
      versions.set(file * BLOCKS + first + i, next[i]);
    }
  }

  private void read(Ext2 tree, SplittableRandom random, Memory memory, MemorySegment bytes)
      throws IOException {
    int first = random.nextInt(BLOCKS);
    int count = 1 + random.nextInt(BLOCKS - first);
    read(tree, first, count, random.nextInt(FILES), memory, bytes);
  }

  /// Reads and checks blocks. A file is cut only behind the blocks that are compared; blocks that
  /// were cut off are zeros or newer.
  private void read(Ext2 tree, int first, int count, int file, Memory memory, MemorySegment bytes)
      throws IOException {
    long[] before = new long[count];
    for (int i = 0; i < count; i++) {
      before[i] = first + i < BLOCKS / 2 ? versions.get(file * BLOCKS + first + i) : 0;
    }
    int length = count * BLOCK;
    int read = tree.read(inodes[file], (long) first * BLOCK, memory, 0, length);
    for (int i = 0; i < read / BLOCK; i++) {
      MemorySegment block = bytes.asSlice((long) i * BLOCK, BLOCK);
      assertThat(Stamps.version(block, number(file, first + i)))
          .as("file %d, block %d", file, first + i)
          .isGreaterThanOrEqualTo(before[i]);
      looked.incrementAndGet();
    }
  }

  /// Takes blocks from one file and gives them to the other.
  private void cut(Ext2 tree, SplittableRandom random, Memory memory) throws IOException {
    int file = random.nextInt(FILES);
    synchronized (locks[file]) {
      int to = BLOCKS / 2 + random.nextInt(BLOCKS / 2);
      if (tree.attributes(inodes[file]).sizeBytes() > (long) to * BLOCK) {
        AttributeChange shorter = AttributeChange.NONE.withSizeOfOpened((long) to * BLOCK);
        tree.setAttributes(Caller.ROOT, inodes[file], shorter);
      }
    }
    int other = 1 - file;
    synchronized (locks[other]) {
      int first = (int) Math.min(tree.attributes(inodes[other]).sizeBytes() / BLOCK, BLOCKS - 1);
      put(tree, other, first, Math.min(8, BLOCKS - first), memory);
    }
  }
}
