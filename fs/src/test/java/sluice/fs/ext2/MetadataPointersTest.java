package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.fs.AttributeChange;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.Images;
import sluice.fs.NewFile;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.BufferCache;
import sluice.fs.block.Journal;
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

/// Tests malicious images in which a file's pointers lead to metadata of the file system. No
/// operation on the file reads, writes or frees these blocks, not even while they are in the cache.
@Timeout(120)
final class MetadataPointersTest {
  private static final int BLOCK = 1024;
  private static final long DEVICE_BYTES = 10 << 20;
  private static final Caller ROOT = Caller.ROOT;
  private static final byte[] NAME = Ext2Rig.name("victim");
  private static final MountOptions OPTIONS = MountOptions.defaults().withCacheBytes(2 << 20);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /// The damaged pointer of the file.
  enum Pointer {
    FIRST(0),
    IN_A_RUN(3),
    BEHIND_POINTERS(14),
    POINTERS(14);

    /// The file's block that is found through the pointer.
    final int logical;

    Pointer(int logical) {
      this.logical = logical;
    }
  }

  private final BlockDevice device;
  private final Block bytes = Blocks.of(64 * BLOCK);
  private final Memory memory = Memory.over(bytes, 0, 64 * BLOCK);
  private long file;

  MetadataPointersTest() throws IOException {
    device = BlockDevices.memory(DEVICE_BYTES);
  }

  @AfterEach
  void close() throws IOException {
    memory.close();
    bytes.release();
    device.close();
  }

  private Geometry geometry() throws IOException {
    return Geometry.of(Ext2.readSuperblock(device), DEVICE_BYTES);
  }

  private void format(boolean journaled) throws IOException {
    FormatOptions format = FormatOptions.forDevice(DEVICE_BYTES).withBlockBytes(BLOCK);
    int log = journaled ? FormatOptions.MIN_JOURNAL_BLOCKS : 0;
    Ext2Format.format(device, format.withJournalBlocks(log), _ -> {});
    try (Ext2 tree = Ext2.mount(device, OPTIONS)) {
      file = tree.create(ROOT, tree.rootInode(), NAME, NewFile.regular(0644));
      tree.write(ROOT, file, 0, memory, 0, 32 * BLOCK);
    }
  }

  /// Returns metadata blocks, one of each kind.
  private List<Long> metadata() throws IOException {
    Geometry g = geometry();
    List<Long> all = new ArrayList<>();
    try (BufferCache cache = BufferCaches.open(device, BLOCK, 64 * BLOCK)) {
      Volume volume = new Volume(g, cache, Journals.plain(cache), "only looked at");
      GroupDescriptors groups = volume.groups;
      all.addAll(List.of(0L, g.superblockBlock(), g.descriptorBlock(0), g.groupStart(1)));
      all.addAll(List.of(groups.blockBitmap(0), groups.inodeBitmap(1), groups.inodeTable(1)));
      all.add(new InodeTable(volume).block(file));
      if (g.journalInode != 0) {
        long[] places = JournalMount.places(g, cache);
        all.addAll(List.of(places[0], places[1], places[places.length - 1]));
        Inode journal = new InodeTable(volume).loadAny(g.journalInode);
        all.add(journal.block[InodeLayout.DIRECT_BLOCKS] & 0xFFFF_FFFFL);
        all.add(journal.block[InodeLayout.DIRECT_BLOCKS + 1] & 0xFFFF_FFFFL);
      }
    }
    return all;
  }

  private void setWord(long number, long at, long value) throws IOException {
    Block block = Blocks.of(BLOCK);
    device.read(number * BLOCK, block, 0, BLOCK);
    block.segment().set(INT, at, (int) value);
    device.write(number * BLOCK, block, 0, BLOCK);
    block.release();
  }

  private void damage(Pointer pointer, long target) throws IOException {
    try (BufferCache cache = BufferCaches.open(device, BLOCK, 64 * BLOCK)) {
      InodeTable table =
          new InodeTable(new Volume(geometry(), cache, Journals.plain(cache), "only looked at"));
      Inode inode = table.loadAny(file);
      int at = table.offset(file) + InodeLayout.BLOCK;
      switch (pointer) {
        case FIRST, IN_A_RUN -> setWord(table.block(file), at + 4L * pointer.logical, target);
        case POINTERS -> setWord(table.block(file), at + 4L * InodeLayout.DIRECT_BLOCKS, target);
        case BEHIND_POINTERS ->
            setWord(inode.block[InodeLayout.DIRECT_BLOCKS] & 0xFFFF_FFFFL, 4L * 2, target);
      }
    }
  }

  private interface Use {
    void of(Ext2 tree) throws IOException;
  }

  /// Uses the image with one block in the cache.
  private void mounted(long warm, Use use) throws IOException {
    BufferCache cache = BufferCaches.open(device, BLOCK, 2 << 20);
    Geometry geometry = geometry();
    Journal journal =
        geometry.journalInode != 0
            ? Journals.jbd2(cache, JournalMount.places(geometry, cache))
            : Journals.plain(cache);
    Volume volume = new Volume(geometry, cache, journal, "");
    Ext2 tree = Ext2.mount(device, volume, OPTIONS);
    cache.read(warm).close();
    use.of(tree);
    try {
      tree.close();
    } catch (FsException e) { // a refusal in the middle of a change has ended the journal
      assertThat(Errno.name(e.errno())).isEqualTo("EIO");
    }
  }

  private void refused(long target, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FsException.class,
            e -> {
              assertThat(Errno.name(e.errno())).isEqualTo("EUCLEAN");
              assertThat(e.getMessage())
                  .contains("inode " + file + ": block " + target + ": ")
                  .contains("no file's");
            });
  }

  private void useAll(Ext2 tree, Pointer pointer, long target) throws IOException {
    long position = (long) pointer.logical * BLOCK;
    refused(target, () -> tree.read(file, position, memory, 0, BLOCK));
    refused(target, () -> tree.read(file, position + 7, memory, 0, 9));
    refused(target, () -> tree.slices(file, position, BLOCK, (_, _, _) -> {}));
    refused(target, () -> tree.slices(file, position, 2 * BLOCK, (_, _, _) -> {}));
    assertThat(tree.tryRead(file, position, BLOCK, (_, _, _) -> {}))
        .isEqualTo(FileTree.WOULD_BLOCK);
    if (pointer == Pointer.IN_A_RUN) {
      assertThat(tree.tryRead(file, 0, 8 * BLOCK, (_, _, _) -> {})).isEqualTo(FileTree.WOULD_BLOCK);
      refused(target, () -> tree.read(file, 0, memory, 0, 8 * BLOCK));
    }
    for (int i = 0; i < 30; i++) { // within the same tick of the clock a write needs no operation
      tree.setAttributes(ROOT, file, AttributeChange.NONE.withModify(AttributeChange.NOW));
      refused(target, () -> tree.write(ROOT, file, position, memory, 0, BLOCK));
      refused(target, () -> tree.write(ROOT, file, position + 7, memory, 0, 9));
    }
  }

  /// Tests each kind of damage to a file, without a log and with one.
  @ParameterizedTest
  @EnumSource
  void nothingIsReadOrWrittenThroughThem(Pointer pointer) throws IOException {
    for (boolean journaled : new boolean[] {false, true}) {
      format(journaled);
      byte[] good = Blocks.all(device);
      for (long target : metadata()) {
        if (target == 0) {
          continue; // a hole
        }
        harm(good, pointer, target);
        List<String> before = Images.problems(device);
        assertThat(before).isNotEmpty();
        mounted(target, tree -> useAll(tree, pointer, target));
        assertThat(Images.problems(device)).isEqualTo(before);
        AttributeChange cut = AttributeChange.NONE.withSize(0);
        mounted(target, tree -> refused(target, () -> tree.setAttributes(ROOT, file, cut)));
        harm(good, pointer, target);
        mounted(target, tree -> refused(target, () -> tree.unlink(ROOT, tree.rootInode(), NAME)));
      }
    }
  }

  private void harm(byte[] good, Pointer pointer, long target) throws IOException {
    Block block = Blocks.of(DEVICE_BYTES);
    block.segment().asByteBuffer().put(good);
    device.write(0, block, 0, (int) DEVICE_BYTES);
    block.release();
    damage(pointer, target);
  }

  /// Tests a directory whose blocks are metadata.
  @Test
  void aDirectoryInTheJournalIsRefused() throws IOException {
    format(true);
    for (long target : metadata()) {
      if (target != 0) {
        try (Ext2 tree = Ext2.mount(device, OPTIONS)) {
          file =
              tree.create(
                  ROOT, tree.rootInode(), Ext2Rig.name("d" + target), NewFile.directory(0755));
        }
        damage(Pointer.FIRST, target);
        mounted(
            target,
            tree -> {
              refused(target, () -> tree.lookup(ROOT, file, NAME));
              refused(target, () -> tree.list(file, 0, (_, _, _, _) -> true));
              refused(target, () -> tree.create(ROOT, file, NAME, NewFile.regular(0644)));
            });
      }
    }
  }

  /// Tests a bitmap that marks the log as free: its blocks are never allocated.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theLogIsGivenToNoFile(boolean withPointers) throws IOException {
    format(true);
    long bitmap;
    long block;
    try (BufferCache cache = BufferCaches.open(device, BLOCK, 64 * BLOCK)) {
      Geometry g = geometry();
      Volume volume = new Volume(g, cache, Journals.plain(cache), "only looked at");
      Inode journal = new InodeTable(volume).loadAny(g.journalInode);
      block = withPointers ? journal.block[12] : JournalMount.places(g, cache)[5];
      bitmap = volume.groups.blockBitmap(g.groupOfBlock(block));
    }
    long bit = block - geometry().groupStart(geometry().groupOfBlock(block));
    for (long word = 0; word < BLOCK; word += 4) {
      setWord(bitmap, word, word == bit / 32 * 4 ? ~(1L << (bit & 31)) : -1);
    }
    try (Ext2 tree = Ext2.mount(device, OPTIONS)) {
      long other = tree.create(ROOT, tree.rootInode(), Ext2Rig.name("n"), NewFile.regular(0644));
      assertThatThrownBy(
              () -> {
                for (long at = 0; at < DEVICE_BYTES; at += 64L * BLOCK) {
                  tree.write(ROOT, other, at, memory, 0, 64 * BLOCK);
                }
              })
          .isInstanceOf(FsException.class)
          .hasMessageContaining("block " + bitmap + ": ")
          .hasMessageContaining("metadata is free: " + block);
    }
  }
}
