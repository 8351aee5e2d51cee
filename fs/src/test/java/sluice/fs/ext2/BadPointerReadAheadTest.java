package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.FaultyDevice;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.fs.block.BufferCache;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.BufferCaches;
import sluice.fs.storage.Journals;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// Reads a file with some bad pointers, in order and one block at a time. Read-ahead of a good
/// block is advisory: good blocks are readable, and only the bad ones fail.
@Timeout(120)
final class BadPointerReadAheadTest {
  private static final int BLOCK = 1024;
  private static final int BLOCKS = 600;
  private static final int POINTERS = BLOCK / 4;
  private static final int DIRECT = InodeLayout.DIRECT_BLOCKS;
  private static final int FIRST_DOUBLE = DIRECT + POINTERS;
  private static final long DEVICE_BYTES = 4 << 20;
  private static final Caller ROOT = Caller.ROOT;
  private static final MountOptions OPTIONS = MountOptions.defaults().withCacheBytes(1 << 20);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /// The kinds of damage, each with the range of the file's blocks that it affects.
  enum Damage {
    DIRECT_POINTER(5, 6),
    POINTER_IN_A_BLOCK(100, 101),
    BLOCK_OF_POINTERS(FIRST_DOUBLE, FIRST_DOUBLE + POINTERS),
    UNREADABLE_POINTERS(FIRST_DOUBLE, FIRST_DOUBLE + POINTERS),
    UNREADABLE_CONTENT(100, 101);

    final int from;
    final int to;

    Damage(int from, int to) {
      this.from = from;
      this.to = to;
    }

    boolean isUnreadable() {
      return this == UNREADABLE_POINTERS || this == UNREADABLE_CONTENT;
    }
  }

  private final FaultyDevice device;
  private final Block bytes = Blocks.of(BLOCK);
  private final Memory memory = Memory.over(bytes, 0, BLOCK);
  private long file;

  BadPointerReadAheadTest() throws IOException {
    device = new FaultyDevice(BlockDevices.memory(DEVICE_BYTES));
  }

  @AfterEach
  void close() throws IOException {
    memory.close();
    bytes.release();
    device.close();
  }

  private void format() throws IOException {
    FormatOptions format = FormatOptions.forDevice(DEVICE_BYTES).withBlockBytes(BLOCK);
    Ext2Format.format(device, format.withJournalBlocks(0), _ -> {});
    try (Ext2 tree = Ext2.mount(device, OPTIONS)) {
      byte[] name = Ext2Rig.name("f");
      file = tree.create(ROOT, tree.rootInode(), name, NewFile.regular(0644));
      for (int i = 0; i < BLOCKS; i++) {
        bytes.segment().fill((byte) (i * 7 + 1));
        tree.write(ROOT, file, (long) i * BLOCK, memory, 0, BLOCK);
      }
    }
  }

  private int word(long block, long at, int value) throws IOException {
    Block copy = Blocks.of(BLOCK);
    device.read(block * BLOCK, copy, 0, BLOCK);
    int before = copy.segment().get(INT, at);
    copy.segment().set(INT, at, value);
    device.write(block * BLOCK, copy, 0, BLOCK);
    copy.release();
    return before;
  }

  private void damage(Damage what) throws IOException {
    Geometry geometry = Geometry.of(Ext2.readSuperblock(device), DEVICE_BYTES);
    Inode inode;
    long place;
    try (BufferCache cache = BufferCaches.open(device, BLOCK, 64 * BLOCK)) {
      InodeTable table =
          new InodeTable(new Volume(geometry, cache, Journals.plain(cache), "only looked at"));
      inode = table.loadAny(file);
      place = table.block(file) * BLOCK + table.offset(file) + InodeLayout.BLOCK;
    }
    long pointers = inode.block[DIRECT];
    switch (what) {
      case DIRECT_POINTER -> word(place / BLOCK, place % BLOCK + 4L * what.from, -2);
      case POINTER_IN_A_BLOCK -> word(pointers, 4L * (what.from - DIRECT), -2);
      case BLOCK_OF_POINTERS -> word(inode.block[DIRECT + 1], 0, -2);
      case UNREADABLE_POINTERS -> fails(word(inode.block[DIRECT + 1], 0, 0), inode);
      case UNREADABLE_CONTENT -> {
        int content = word(pointers, 4L * (what.from - DIRECT), 0);
        word(pointers, 4L * (what.from - DIRECT), content);
        device.readFails = position -> position == (long) content * BLOCK;
      }
    }
  }

  private void fails(int block, Inode inode) throws IOException {
    word(inode.block[DIRECT + 1], 0, block);
    device.readFails = position -> position == (long) block * BLOCK;
  }

  private interface Read {
    /// Reads at a position.
    ///
    /// @return the number of bytes
    int block(Ext2 tree, long position) throws IOException;
  }

  /// Returns the blocks that could not be read.
  private Set<Long> lost(Damage what, Read read) throws IOException {
    Set<Long> lost = new TreeSet<>();
    try (Ext2 tree = Ext2.mount(device, OPTIONS.withReadOnly(true))) {
      for (long i = 0; i < BLOCKS; i++) {
        bytes.segment().fill((byte) 0);
        try {
          assertThat(read.block(tree, i * BLOCK)).isEqualTo(BLOCK);
          assertThat(bytes.segment().get(ValueLayout.JAVA_BYTE, BLOCK - 1L))
              .as("block " + i)
              .isEqualTo((byte) (i * 7 + 1));
        } catch (FsException e) {
          String errno = what.isUnreadable() ? "EIO" : "EUCLEAN";
          assertThat(Errno.name(e.errno())).as("block " + i + ": " + e).isEqualTo(errno);
          lost.add(i);
        }
      }
    }
    return lost;
  }

  @ParameterizedTest
  @EnumSource
  void onlyWhatIsBadFails(Damage what) throws IOException {
    format();
    damage(what);
    Set<Long> bad =
        LongStream.range(what.from, what.to).boxed().collect(Collectors.toCollection(TreeSet::new));
    assertThat(lost(what, (tree, at) -> tree.read(file, at, memory, 0, BLOCK))).isEqualTo(bad);
    Read slices =
        (tree, at) ->
            tree.slices(
                file,
                at,
                BLOCK,
                (block, offset, count) ->
                    bytes.segment().copyFrom(block.segment().asSlice(offset, count)));
    assertThat(lost(what, slices)).isEqualTo(bad);
  }
}
