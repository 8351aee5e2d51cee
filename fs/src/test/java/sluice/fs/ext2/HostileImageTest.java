package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.fs.SparseDevice;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.ext2.layout.Features;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.GroupLayout;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.fs.ext2.layout.SuperblockLayout;
import sluice.memory.block.Block;
import sluice.sys.Errno;
import sluice.testbase.AllocatedBytes;

/// Tests images whose numbers claim more than the image contains, on devices that are mostly holes.
/// Opening and checking them allocates memory in proportion to the real content, or a small part of
/// what the device could contain, or is refused.
@Timeout(300)
final class HostileImageTest {
  private static final int SMALL_BYTES = 4 << 20;
  private static final long TERABYTE = 1L << 40;
  private static final MountOptions OPTIONS =
      MountOptions.defaults().withCacheBytes(1 << 20).withInodes(64);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /// The memory for mounting or checking an unmodified small image: caches, buffers, messages.
  private static final long USUAL = 6 << 20;

  /// The largest memory for the group tables of a device of 16 TB, the largest device.
  private static final long TABLES = 64 << 20;

  /// The positions of the superblock's numbers and of its feature bits.
  private static final int[] FIELDS = {
    SuperblockLayout.INODES_COUNT,
    SuperblockLayout.BLOCKS_COUNT,
    SuperblockLayout.RESERVED_BLOCKS,
    SuperblockLayout.FREE_BLOCKS,
    SuperblockLayout.FREE_INODES,
    SuperblockLayout.FIRST_DATA_BLOCK,
    SuperblockLayout.LOG_BLOCK_SIZE,
    SuperblockLayout.BLOCKS_PER_GROUP,
    SuperblockLayout.INODES_PER_GROUP,
    SuperblockLayout.REVISION,
    SuperblockLayout.FIRST_INODE,
    SuperblockLayout.INODE_SIZE,
    SuperblockLayout.COMPATIBLE,
    SuperblockLayout.INCOMPATIBLE,
    SuperblockLayout.READ_ONLY_COMPATIBLE,
    SuperblockLayout.RESERVED_GDT_BLOCKS,
    SuperblockLayout.JOURNAL_INODE,
    SuperblockLayout.LAST_ORPHAN,
    SuperblockLayout.WANT_EXTRA_SIZE
  };

  private static final int[] EXTREMES = {
    0,
    1,
    2,
    7,
    8,
    11,
    64,
    255,
    1024,
    8192,
    32_768,
    65_535,
    1 << 20,
    1 << 30,
    -1,
    -2,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE
  };

  private static byte[] small = {};

  @BeforeAll
  static void makeASmallImage() throws IOException {
    try (Ext2Rig rig = new Ext2Rig(SMALL_BYTES, 1024)) {
      long directory = rig.directory(rig.root(), "d");
      rig.write(rig.file(directory, "f"), 0, "x".repeat(30_000));
      rig.tree.close();
      small = Blocks.all(rig.device);
    }
    open(new SparseDevice(SMALL_BYTES, small)); // classes are loaded
  }

  private static void set(BlockDevice device, long at, int value) throws IOException {
    Block block = Blocks.of(4096);
    device.read(at & -4096L, block, 0, 4096);
    block.segment().set(INT, at & 4095, value);
    device.write(at & -4096L, block, 0, 4096);
    block.release();
  }

  private interface Use {
    void of() throws IOException;
  }

  /// Returns true if an operation succeeds. Asserts that a refusal has an expected errno.
  private static boolean works(Use use) throws IOException {
    try {
      use.of();
      return true;
    } catch (FsException e) {
      assertThat(Errno.name(e.errno()))
          .isIn("EUCLEAN", "ESTALE", "EINVAL", "EROFS", "ENOMEM", "EOPNOTSUPP");
      return false;
    }
  }

  /// Checks the image, then mounts it for reading and for writing.
  ///
  /// @return the number of operations that were not refused
  private static int open(BlockDevice device) throws IOException {
    int done = works(() -> Ext2Check.check(device, _ -> {}, _ -> {})) ? 1 : 0;
    done += works(() -> Ext2.mount(device, OPTIONS.withReadOnly(true)).close()) ? 1 : 0;
    return done + (works(() -> Ext2.mount(device, OPTIONS).close()) ? 1 : 0);
  }

  private static long allocated(Use use) throws IOException {
    long before = AllocatedBytes.ofThisThread();
    use.of();
    return AllocatedBytes.ofThisThread() - before;
  }

  /// Sets each number of the superblock to its extremes, on the image's own device and on one of 16
  /// TB.
  @ParameterizedTest
  @ValueSource(longs = {SMALL_BYTES, 16 * TERABYTE})
  void numbersOfTheSuperblockAreNoReasonToAllocate(long deviceBytes) throws IOException {
    int[] opened = {0};
    for (int field : FIELDS) {
      for (int value : EXTREMES) {
        try (BlockDevice device = new SparseDevice(deviceBytes, small)) {
          set(device, 1024 + field, value);
          long bytes = allocated(() -> opened[0] += open(device));
          assertThat(bytes)
              .as("field %d is %d: %d bytes", field, value, bytes)
              .isLessThan(deviceBytes > SMALL_BYTES ? TABLES : USUAL);
        } catch (RuntimeException | OutOfMemoryError e) {
          throw new AssertionError("field " + field + " is " + value, e);
        }
      }
    }
    assertThat(opened[0]).as("some are harmless").isGreaterThan(FIELDS.length);
  }

  /// Claims as many groups and inodes as the superblock can express, on a device with space for
  /// some of them.
  @Test
  void moreThanTheDeviceHasIsRefusedBeforeAnythingIsAllocated() throws IOException {
    for (int perGroup : new int[] {1024, 8192}) {
      try (BlockDevice device = new SparseDevice(64L << 30, small)) {
        int groups = (int) ((64L << 20) / 8);
        set(device, 1024 + SuperblockLayout.BLOCKS_COUNT, groups * 8 + 1);
        set(device, 1024 + SuperblockLayout.BLOCKS_PER_GROUP, 8);
        set(device, 1024 + SuperblockLayout.INODES_PER_GROUP, perGroup);
        set(device, 1024 + SuperblockLayout.INODES_COUNT, groups * perGroup);
        assertThat(allocated(() -> assertThat(open(device)).isZero())).isLessThan(1 << 20);
      }
    }
    try (BlockDevice device = new SparseDevice(64L << 30, small)) {
      set(device, 1024 + SuperblockLayout.INODES_PER_GROUP, 8192);
      set(device, 1024 + SuperblockLayout.INODES_COUNT, 8192);
      set(device, 1024 + SuperblockLayout.BLOCKS_COUNT, 600);
      assertThatThrownBy(() -> Ext2Check.check(device, _ -> {}, _ -> {}))
          .isInstanceOf(FsException.class)
          .hasMessageContaining("superblock: impossible inodes in the last group: 8192");
    }
  }

  /// Checks an image with a million inodes, almost none of which is in use.
  @Test
  void whatIsNotInUseTakesNoMemory() throws IOException {
    long bytes = 16L << 30;
    try (BlockDevice device = new SparseDevice(bytes)) {
      Ext2Format.format(device, FormatOptions.forDevice(bytes), _ -> {});
      try (Ext2 tree = Ext2.mount(device, OPTIONS)) {
        assertThat(tree.status().inodes()).isGreaterThan(1_000_000);
        tree.create(Caller.ROOT, 2, Ext2Rig.name("f"), NewFile.regular(0644));
      }
      CheckBudget budget = new CheckBudget(64 << 10);
      List<String> problems = new ArrayList<>();
      Ext2Check.Report report = Ext2Check.check(device, budget, problems::add, _ -> {});
      assertThat(problems).isEmpty();
      assertThat(report.files()).isEqualTo(1);
      assertThat(budget.usedBytes()).isLessThan(32 << 10);
      // A small object for each block of a table, none for an inode.
      assertThat(allocated(() -> Ext2Check.check(device, _ -> {}, _ -> {}))).isLessThan(USUAL * 4);
    }
  }

  /// Checks that the checker stops with a message when its memory budget is exceeded by what is in
  /// use.
  @Test
  void theCheckEndsBeforeTheHeapDoes() throws IOException {
    try (BlockDevice device = new SparseDevice(SMALL_BYTES, small)) {
      CheckBudget all = new CheckBudget(1 << 20);
      Ext2Check.check(device, all, _ -> {}, _ -> {});
      for (long less = 0; less < all.usedBytes(); less += 97) {
        CheckBudget budget = new CheckBudget(less);
        assertThatThrownBy(() -> Ext2Check.check(device, budget, _ -> {}, _ -> {}))
            .isInstanceOfSatisfying(
                FsException.class, e -> assertThat(Errno.name(e.errno())).isEqualTo("ENOMEM"))
            .hasMessageContaining("Fix: a larger heap");
      }
    }
  }

  private static long inodePlace(BlockDevice device, long number) throws IOException {
    Geometry g = Geometry.of(Ext2.readSuperblock(device), device.lengthBytes());
    long table = word(device, g.descriptorBlock(0) * g.blockBytes + GroupLayout.INODE_TABLE);
    return table * g.blockBytes + (number - 1) * g.inodeBytes;
  }

  private static int word(BlockDevice device, long at) throws IOException {
    Block block = Blocks.of(4096);
    device.read(at & -4096L, block, 0, 4096);
    int value = block.segment().get(INT, at & 4095);
    block.release();
    return value;
  }

  /// Claims a log of the maximum length, four million blocks: made of holes, or of one block of
  /// pointers that is used repeatedly.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLogIsAsLongAsItsPointersAre(boolean withPointers) throws IOException {
    long deviceBytes = 16L << 30;
    try (BlockDevice device = new SparseDevice(deviceBytes)) {
      FormatOptions format =
          FormatOptions.forDevice(deviceBytes).withBlockBytes(1024).withBytesPerInode(1 << 20);
      Ext2Format.format(device, format.withJournalBlocks(1024), _ -> {});
      long inode = inodePlace(device, InodeLayout.JOURNAL);
      set(device, inode + InodeLayout.SIZE, 0);
      set(device, inode + InodeLayout.SIZE_HIGH, 1);
      if (withPointers) {
        long pointers = inode + InodeLayout.BLOCK + 4L * InodeLayout.DIRECT_BLOCKS;
        int first = word(device, pointers);
        int second = word(device, pointers + 4);
        int third = word(device, pointers - 4);
        set(device, pointers + 8, third);
        for (int i = 0; i < 256; i++) {
          set(device, first * 1024L + 4L * i, third + 1);
          set(device, second * 1024L + 4L * i, first);
          set(device, third * 1024L + 4L * i, second);
        }
      }
      int large = word(device, 1024 + SuperblockLayout.READ_ONLY_COMPATIBLE) | Features.LARGE_FILE;
      set(device, 1024 + SuperblockLayout.READ_ONLY_COMPATIBLE, large);
      int features = word(device, 1024 + SuperblockLayout.INCOMPATIBLE);
      set(device, 1024 + SuperblockLayout.INCOMPATIBLE, features | Features.NEEDS_RECOVERY);
      assertThat(allocated(() -> mounts(device))).isLessThan(USUAL);
      assertThatThrownBy(() -> Ext2.mount(device, OPTIONS))
          .isInstanceOf(FsException.class)
          .hasMessageContaining(withPointers ? "a journal that has the block twice" : "a hole");
    }
  }

  private static void mounts(BlockDevice device) throws IOException {
    assertThat(works(() -> Ext2.mount(device, OPTIONS.withReadOnly(true)).close())).isFalse();
    assertThat(works(() -> Ext2.mount(device, OPTIONS).close())).isFalse();
  }

  /// Builds a list of orphans that is a cycle, from its beginning or after a while.
  @Test
  void aCircleOfOrphansIsRefused() throws IOException {
    int count = 40;
    try (Ext2Rig rig = new Ext2Rig(SMALL_BYTES, 1024)) {
      List<Long> files = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        files.add(rig.file(rig.root(), "f" + i));
      }
      rig.tree.close();
      for (int back = 0; back < count; back++) {
        for (int i = 0; i < count; i++) {
          long next = i + 1 < count ? files.get(i + 1) : files.get(back);
          long place = inodePlace(rig.device, files.get(i));
          set(rig.device, place + InodeLayout.DELETE_TIME, (int) next);
        }
        long before = files.get(0);
        set(rig.device, 1024 + SuperblockLayout.LAST_ORPHAN, (int) before);
        assertThatThrownBy(() -> Ext2.mount(rig.device, OPTIONS))
            .isInstanceOf(FsException.class)
            .hasMessageContaining("the list of orphans leads to it");
      }
    }
  }
}
