package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.fs.block.BlockDevice;
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

/// Tests that errors caused by damage name the inode and the block that are damaged. The test reads
/// the expected numbers from the image's bytes.
@Timeout(120)
final class Ext2DamageTest {
  private static final int BLOCK = 1024;
  private static final long DEVICE_BYTES = 4 << 20;
  private static final Caller ROOT = Caller.ROOT;
  private static final byte[] NAME = name("victim");
  private static final int OUTSIDE = 0xFFFF_FFF0;
  private static final MountOptions OPTIONS = MountOptions.defaults().withCacheBytes(1 << 20);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final BlockDevice device = BlockDevices.memory(DEVICE_BYTES);
  private final Block bytes = Blocks.of(64 * BLOCK);
  private final Memory memory = Memory.over(bytes, 0, 64 * BLOCK);
  private final long directory;
  private final long file;
  private final InodeTable table;

  Ext2DamageTest() throws IOException {
    FormatOptions format = FormatOptions.forDevice(DEVICE_BYTES).withBlockBytes(BLOCK);
    Ext2Format.format(device, format.withJournalBlocks(0), _ -> {});
    try (Ext2 tree = Ext2.mount(device, OPTIONS)) {
      directory = tree.create(ROOT, tree.rootInode(), name("d"), NewFile.directory(0755));
      file = tree.create(ROOT, directory, NAME, NewFile.regular(0644));
      tree.write(ROOT, file, 0, memory, 0, 64 * BLOCK);
      tree.setExtendedAttribute(ROOT, file, name("user.mark"), new byte[500], 0);
    }
    Geometry geometry = Geometry.of(Ext2.readSuperblock(device), DEVICE_BYTES);
    try (BufferCache cache = BufferCaches.open(device, BLOCK, 64 * BLOCK)) {
      table = new InodeTable(new Volume(geometry, cache, Journals.plain(cache), "only looked at"));
    }
  }

  private static byte[] name(String text) {
    return Ext2Rig.name(text);
  }

  @AfterEach
  void close() throws IOException {
    memory.close();
    bytes.release();
    device.close();
  }

  private interface Change {
    void of(MemorySegment block);
  }

  private void damage(long number, Change change) throws IOException {
    Block block = Blocks.of(BLOCK);
    device.read(number * BLOCK, block, 0, BLOCK);
    change.of(block.segment());
    device.write(number * BLOCK, block, 0, BLOCK);
    block.release();
  }

  private int word(long number, long at) throws IOException {
    int[] value = {0};
    damage(number, block -> value[0] = block.get(INT, at));
    return value[0];
  }

  private long pointer(long inode, int index) throws IOException {
    return word(table.block(inode), table.offset(inode) + InodeLayout.BLOCK + 4L * index);
  }

  /// Returns the offset of the victim's entry in its block.
  private int entry(MemorySegment block) {
    for (int at = 0; at < BLOCK; at += block.get(INT, at + 4) & 0xFFFF) {
      if (block.get(INT, at) == (int) file) {
        return at;
      }
    }
    throw new AssertionError("no entry");
  }

  private interface Use {
    void of(Ext2 tree) throws IOException;
  }

  /// Asserts that an operation that meets the damage is refused with this place, and that the tree
  /// can be closed.
  private void assertPlace(long inode, long block, String what, Use use) throws IOException {
    try (Ext2 tree = Ext2.mount(device, OPTIONS.withReadOnly(true))) {
      ThrowingCallable call = () -> use.of(tree);
      assertThatThrownBy(call)
          .isInstanceOfSatisfying(
              FsException.class,
              e -> {
                assertThat(Errno.name(e.errno())).isEqualTo("EUCLEAN");
                assertThat(e.getMessage())
                    .contains("inode " + inode + ": block " + block + ": ")
                    .contains(what)
                    .contains("; Fix: run sluice fs fsck");
              });
    }
  }

  @Test
  void anEntryOfImpossibleLength() throws IOException {
    long block = pointer(directory, 0);
    damage(block, b -> b.set(INT, entry(b) + 4, 3));
    assertPlace(directory, block, "length 3", tree -> tree.lookup(ROOT, directory, NAME));
    assertPlace(
        directory, block, "length 3", tree -> tree.list(directory, 0, (_, _, _, _) -> true));
  }

  @Test
  void anEntryThatLeadsNowhere() throws IOException {
    long block = pointer(directory, 0);
    damage(block, b -> b.set(INT, entry(b), 0x7FFF_FFFF));
    assertPlace(directory, block, "inode 2147483647", tree -> tree.lookup(ROOT, directory, NAME));
  }

  @Test
  void anEntryThatLeadsToAFreeInode() throws IOException {
    long block = pointer(directory, 0);
    damage(block, b -> b.set(INT, entry(b), (int) file + 1));
    try (Ext2 tree = Ext2.mount(device, OPTIONS)) {
      assertThatThrownBy(() -> tree.unlink(ROOT, directory, NAME))
          .hasMessageContaining("inode " + directory + ": block " + block + ": ")
          .hasMessageContaining("free inode " + (file + 1));
    }
  }

  @Test
  void anEntryThatLeadsToItsOwnDirectory() throws IOException {
    long block = pointer(directory, 0);
    damage(block, b -> b.set(INT, entry(b), (int) directory));
    try (Ext2 tree = Ext2.mount(device, OPTIONS)) {
      assertThatThrownBy(() -> tree.rmdir(ROOT, directory, NAME))
          .hasMessageContaining("inode " + directory + ": block " + block + ": ")
          .hasMessageContaining("its own directory");
    }
  }

  @Test
  void pointersThatLeadOutOfTheImage() throws IOException {
    long outside = OUTSIDE & 0xFFFF_FFFFL;
    int at = table.offset(file) + InodeLayout.BLOCK;
    damage(table.block(file), b -> b.set(INT, at + 4 * 3, OUTSIDE));
    assertPlace(file, outside, "no file's", tree -> tree.read(file, 0, memory, 0, 8 * BLOCK));
    damage(pointer(file, 12), b -> b.set(INT, 0, 1)); // the superblock
    assertPlace(file, 1, "no file's", tree -> tree.read(file, 12 * BLOCK, memory, 0, BLOCK));
    try (Ext2 tree = Ext2.mount(device, OPTIONS.withReadOnly(true))) {
      assertThat(tree.read(file, 13 * BLOCK, memory, 0, BLOCK))
          .as("its neighbour")
          .isEqualTo(BLOCK);
    }
    damage(table.block(file), b -> b.set(INT, at + 4 * 12, OUTSIDE));
    assertPlace(file, outside, "no file's", tree -> tree.read(file, 13 * BLOCK, memory, 0, BLOCK));
  }

  @Test
  void anInodeOfNoKind() throws IOException {
    int at = table.offset(file);
    damage(table.block(file), b -> b.set(INT, at, b.get(INT, at) | 0xF000));
    assertPlace(file, table.block(file), "impossible mode", tree -> tree.attributes(file));
  }

  @Test
  void aBlockOfAttributesThatIsNone() throws IOException {
    long block = word(table.block(file), table.offset(file) + InodeLayout.FILE_ACL);
    assertThat(block).isPositive();
    damage(block, b -> b.set(INT, 0, 0));
    Use use = tree -> tree.extendedAttribute(ROOT, file, name("user.mark"));
    assertPlace(file, block, "extended attributes", use);
  }

  /// Checks that freeing a block that its bitmap marks as free is refused, and that nothing is
  /// allocated afterwards.
  @Test
  void aBitmapThatContradictsWhatIsFreed() throws IOException {
    long content = pointer(file, 0);
    long bitmap = word(2, 0); // of the first group
    damage(bitmap, b -> b.set(INT, (content - 1) / 32 * 4, 0));
    try (Ext2 tree = Ext2.mount(device, OPTIONS)) {
      assertThatThrownBy(() -> tree.unlink(ROOT, directory, NAME))
          .hasMessageContaining("inode " + file + ": block ")
          .hasMessageContaining("marked free in the bitmap");
      assertThatThrownBy(() -> tree.create(ROOT, directory, name("n"), NewFile.regular(0644)))
          .isInstanceOfSatisfying(
              FsException.class, e -> assertThat(Errno.name(e.errno())).isEqualTo("EROFS"));
    }
  }
}
