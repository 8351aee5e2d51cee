package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.fs.AttributeChange;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.FsException;
import sluice.fs.Images;
import sluice.fs.NewFile;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.BufferCache;
import sluice.fs.block.Journal;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.BufferCaches;
import sluice.fs.storage.Journals;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// Tests reading by slices: the pieces that are shown, and that none belongs to another file or to
/// content that was cut off before, although block maps are cached and entries of the cache are
/// shared.
@Timeout(300)
final class Ext2SlicesTest {
  private static final int BLOCK = 1024;

  /// More than the direct blocks, so that the others are found through a cached map.
  private static final int BLOCKS = 40;

  private static final long IMAGE_BYTES = 16L << 20;
  private static final int ROUNDS = 300;
  private static final byte[] NAME = "file".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] OTHER = "other".getBytes(StandardCharsets.US_ASCII);

  /// The cache holds only one piece of a map, so that all files compete for it.
  private static final MountOptions OPTIONS =
      new MountOptions(false, true, 2 << 20, 64, 64, 1, 1 << 16);

  private final AtomicLong clock = new AtomicLong();
  private final AtomicLong looked = new AtomicLong();
  private final Queue<Throwable> problems = new ConcurrentLinkedQueue<>();

  /// The file that is read, and the oldest number that it may contain. Immutable.
  private record Now(long inode, long since) {}

  private volatile Now now = new Now(0, 0);
  private volatile boolean over;

  private interface Use {
    void run(Ext2 tree, Memory memory, MemorySegment bytes) throws Exception;
  }

  private static BlockDevice format() throws IOException {
    BlockDevice device = BlockDevices.memory(IMAGE_BYTES);
    FormatOptions format = FormatOptions.forDevice(IMAGE_BYTES).withBlockBytes(BLOCK);
    Ext2Format.format(device, format.withJournalBlocks(0), _ -> {});
    return device;
  }

  private static void use(Use use) throws Exception {
    try (BlockDevice device = format()) {
      try (Ext2 tree = Ext2.mount(device, OPTIONS)) {
        buffer(tree, use);
      }
      assertThat(Images.problems(device)).isEmpty();
    }
  }

  private static void buffer(Ext2 tree, Use use) throws Exception {
    Block block = Blocks.of(BLOCKS * BLOCK);
    try (Memory memory = Memory.over(block, 0, BLOCKS * BLOCK)) {
      use.run(tree, memory, block.segment());
    } finally {
      block.release();
    }
  }

  private static long create(Ext2 tree, byte[] name) throws IOException {
    return tree.create(Caller.ROOT, tree.rootInode(), name, NewFile.regular(0644));
  }

  private static void cut(Ext2 tree, long inode, long bytes) throws IOException {
    tree.setAttributes(Caller.ROOT, inode, AttributeChange.NONE.withSize(bytes));
  }

  /// Writes all blocks, each filled with one number.
  private static void fill(Ext2 tree, long inode, long value, Memory memory, MemorySegment bytes)
      throws IOException {
    for (long at = 0; at < bytes.byteSize(); at += Long.BYTES) {
      bytes.set(ValueLayout.JAVA_LONG, at, value);
    }
    assertThat(tree.write(Caller.ROOT, inode, 0, memory, 0, BLOCKS * BLOCK))
        .isEqualTo(BLOCKS * BLOCK);
  }

  /// Returns the pieces that slices show, as offsets in blocks and lengths.
  private static List<String> pieces(Ext2 tree, long inode, long position, int count)
      throws IOException {
    List<String> pieces = new ArrayList<>();
    int[] sum = {0};
    int bytes =
        tree.slices(
            inode,
            position,
            count,
            (_, offset, length) -> {
              pieces.add(offset + "+" + length);
              sum[0] += length;
            });
    assertThat(bytes).isEqualTo(sum[0]);
    return pieces;
  }

  @Test
  void thePiecesAreThoseOfTheBlocksUpToTheEnd() throws Exception {
    use((tree, memory, bytes) -> {
      long inode = create(tree, NAME);
      fill(tree, inode, 7, memory, bytes);
      cut(tree, inode, 20 * BLOCK + 100);
      for (int round = 0; round < 2; round++) {
        assertThat(pieces(tree, inode, 0, BLOCK)).containsExactly("0+1024");
        assertThat(pieces(tree, inode, 1023, 1)).containsExactly("1023+1");
        assertThat(pieces(tree, inode, 1023, 2)).containsExactly("1023+1", "0+1");
        assertThat(pieces(tree, inode, 11 * BLOCK + 24, 2 * BLOCK))
            .containsExactly("24+1000", "0+1024", "0+24");
        assertThat(pieces(tree, inode, 20 * BLOCK, BLOCK)).containsExactly("0+100");
        assertThat(pieces(tree, inode, 20 * BLOCK, 100)).containsExactly("0+100");
        assertThat(pieces(tree, inode, 20 * BLOCK + 99, Integer.MAX_VALUE)).containsExactly("99+1");
        assertThat(pieces(tree, inode, 20 * BLOCK + 100, 1)).isEmpty();
        assertThat(pieces(tree, inode, Long.MAX_VALUE, Integer.MAX_VALUE)).isEmpty();
        assertThat(pieces(tree, inode, 5, 0)).isEmpty();
        cut(tree, inode, 20 * BLOCK); // and again, with a hole behind the end
        cut(tree, inode, 20 * BLOCK + 100);
      }
      refused(tree, inode, -1, 1);
      refused(tree, inode, 0, -1);
      refused(tree, inode, Long.MIN_VALUE, 1);
    });
  }

  private static void refused(Ext2 tree, long inode, long position, int count) {
    assertThatThrownBy(() -> pieces(tree, inode, position, count))
        .isInstanceOfSatisfying(
            FsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
  }

  /// Checks that reading by slices updates the access time once after a change, as reading by copy
  /// does.
  @Test
  void theFirstReadingAfterAChangeIsNoted() throws Exception {
    use((tree, memory, bytes) -> {
      long inode = create(tree, NAME);
      fill(tree, inode, 7, memory, bytes);
      AttributeChange old = AttributeChange.NONE.withAccess(1_000_000_000L);
      tree.setAttributes(Caller.ROOT, inode, old);
      assertThat(pieces(tree, inode, 0, BLOCK)).hasSize(1);
      long noted = tree.attributes(inode).accessNanos();
      assertThat(noted).isGreaterThan(1_000_000_000L);
      // Later than any change: the recorded time stays as it is.
      tree.setAttributes(Caller.ROOT, inode, AttributeChange.NONE.withAccess(4_000_000_000L << 30));
      long later = tree.attributes(inode).accessNanos();
      assertThat(pieces(tree, inode, 0, BLOCK)).hasSize(1);
      assertThat(tree.attributes(inode).accessNanos()).isEqualTo(later);
    });
  }

  @Test
  void mapsThatMeetAreToldApart() throws Exception {
    use((tree, memory, bytes) -> {
      long one = create(tree, NAME);
      long two = create(tree, OTHER);
      long far = 20 + 7 * (long) MapPages.BLOCKS;
      write(tree, one, 20, 1, memory);
      write(tree, one, far, 2, memory);
      write(tree, two, 20, 3, memory);
      for (int round = 0; round < 3; round++) {
        assertThat(number(tree, one, 20)).isEqualTo(1);
        assertThat(number(tree, two, 20)).isEqualTo(3);
        assertThat(number(tree, one, far)).isEqualTo(2);
      }
      cut(tree, one, 0);
      write(tree, two, 21, 4, memory); // the blocks that `one` had before
      write(tree, one, 21, 5, memory);
      assertThat(number(tree, one, 20)).isZero();
      assertThat(number(tree, one, 21)).isEqualTo(5);
      assertThat(pieces(tree, one, far * BLOCK, BLOCK)).isEmpty();
      tree.unlink(Caller.ROOT, tree.rootInode(), NAME);
      long again = create(tree, NAME);
      assertThat(again).as("the number is used again").isEqualTo(one);
      assertThat(pieces(tree, again, 21 * BLOCK, BLOCK)).isEmpty();
      write(tree, again, 20, 6, memory);
      assertThat(number(tree, again, 20)).isEqualTo(6);
      assertThat(number(tree, two, 21)).isEqualTo(4);
    });
  }

  /// A cache that lets another thread run between a reader's lookup in a map and its lease.
  private static final class MeddlingCache extends CacheOverCache {
    private @Nullable Job before;

    MeddlingCache(BufferCache cache) {
      super(cache);
    }

    @Override
    public @Nullable Block lease(long block) {
      Job now = before;
      before = null;
      if (now != null) {
        try {
          now.run();
        } catch (Exception e) {
          throw new AssertionError(e);
        }
      }
      return super.lease(block);
    }
  }

  /// Checks a block that belongs to another file by the time it is leased.
  @ParameterizedTest
  @ValueSource(ints = {5, 20}) // direct, and through a page of the map
  void aCutInTheMiddleOfALookIsSeen(int block) throws Exception {
    try (BlockDevice device = format()) {
      MeddlingCache cache = new MeddlingCache(BufferCaches.open(device, BLOCK, 2 << 20));
      Geometry geometry = Geometry.of(Ext2.readSuperblock(device), device.lengthBytes());
      Journal journal = Journals.plain(cache.under());
      try (Ext2 tree = Ext2.mount(device, new Volume(geometry, cache, journal, ""), OPTIONS)) {
        buffer(
            tree,
            (_, memory, bytes) -> {
              long one = create(tree, NAME);
              long two = create(tree, OTHER);
              fill(tree, one, 1, memory, bytes);
              assertThat(number(tree, one, block)).isEqualTo(1);
              cache.before =
                  () -> {
                    cut(tree, one, 0);
                    fill(tree, two, 2, memory, bytes);
                  };
              assertThat(pieces(tree, one, (long) block * BLOCK, BLOCK)).isEmpty();
              assertThat(number(tree, two, block)).isEqualTo(2);
            });
      }
      assertThat(Images.problems(device)).isEmpty();
    }
  }

  private static void write(Ext2 tree, long inode, long block, long value, Memory memory)
      throws IOException {
    memory.setLong(0, value);
    assertThat(tree.write(Caller.ROOT, inode, block * BLOCK, memory, 0, BLOCK)).isEqualTo(BLOCK);
  }

  /// Returns the first long of a block.
  private static long number(Ext2 tree, long inode, long block) throws IOException {
    long[] seen = {-1};
    int bytes =
        tree.slices(
            inode,
            block * BLOCK,
            BLOCK,
            (piece, offset, _) ->
                seen[0] = piece.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, offset));
    assertThat(bytes).isEqualTo(BLOCK);
    return seen[0];
  }

  /// Reads while files are cut and filled again. Numbers are drawn from one clock after a file was
  /// cut or created. A reader accepts no number that was drawn before the last cut that had ended
  /// when the read began. Another file, which is cut and filled at the same time so that blocks
  /// change hands, contains negative numbers.
  @Test
  void whatWasCutOrRemovedIsNotSeenAgain() throws Exception {
    use((tree, memory, bytes) -> {
      long first = create(tree, NAME);
      fill(tree, first, clock.incrementAndGet(), memory, bytes);
      now = new Now(first, 1);
      CountDownLatch reading = new CountDownLatch(2);
      List<Thread> threads =
          List.of(
              start(() -> read(tree, 1, reading)),
              start(() -> read(tree, 2, reading)),
              start(() -> others(tree)));
      try {
        assertThat(reading.await(60, TimeUnit.SECONDS)).isTrue();
        for (int round = 0; round < ROUNDS && problems.isEmpty(); round++) {
          change(tree, round, memory, bytes);
        }
      } finally {
        over = true;
        for (Thread thread : threads) {
          assertThat(thread.join(Duration.ofMinutes(1))).isTrue();
        }
      }
      assertThat(problems).isEmpty();
      assertThat(looked.get()).isPositive();
    });
  }

  private interface Job {
    void run() throws Exception;
  }

  private Thread start(Job job) {
    return Thread.ofPlatform()
        .start(() -> {
          try {
            job.run();
          } catch (Exception | Error problem) {
            problems.add(problem);
          }
        });
  }

  private void change(Ext2 tree, int round, Memory memory, MemorySegment bytes) throws IOException {
    long inode = now.inode;
    long since = clock.incrementAndGet();
    switch (round % 3) {
      case 0 -> cut(tree, inode, 0);
      case 1 -> { // direct blocks stay at first
        cut(tree, inode, 3 * BLOCK);
        cut(tree, inode, 0);
      }
      default -> {
        tree.unlink(Caller.ROOT, tree.rootInode(), NAME);
        now = new Now(inode, since);
        inode = create(tree, NAME);
      }
    }
    now = new Now(inode, since);
    fill(tree, inode, clock.incrementAndGet(), memory, bytes);
  }

  private void others(Ext2 tree) throws Exception {
    long inode = create(tree, OTHER);
    buffer(
        tree,
        (_, memory, bytes) -> {
          while (!over) {
            fill(tree, inode, -clock.incrementAndGet(), memory, bytes);
            assertThat(pieces(tree, inode, 0, BLOCKS * BLOCK)).hasSize(BLOCKS);
            cut(tree, inode, 0);
          }
        });
  }

  private void read(Ext2 tree, long seed, CountDownLatch reading) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    boolean[] told = {false};
    while (!over) {
      Now file = now;
      int block = random.nextInt(BLOCKS);
      try {
        int _ =
            tree.slices(
                file.inode,
                (long) block * BLOCK,
                BLOCK,
                (piece, offset, count) -> {
                  look(file, block, piece.segment().asSlice(offset, count));
                  if (!told[0]) {
                    told[0] = true;
                    reading.countDown();
                  }
                });
      } catch (FsException e) {
        assertThat(e.errno()).isEqualTo(Errno.ESTALE);
      }
    }
  }

  private void look(Now file, int block, MemorySegment piece) {
    looked.incrementAndGet();
    long value = piece.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    assertThat(value)
        .as("block %d, since %d", block, file.since)
        .isGreaterThanOrEqualTo(file.since);
    for (long at = 0; at < piece.byteSize(); at += Long.BYTES) {
      assertThat(piece.get(ValueLayout.JAVA_LONG_UNALIGNED, at)).isEqualTo(value);
    }
  }
}
