package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.fs.Caller;
import sluice.fs.DeviceOverDevice;
import sluice.fs.E2fsprogs;
import sluice.fs.NewFile;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.storage.BlockDevices;
import sluice.memory.block.Block;

/// Tests that directories with very many names stay usable. The cost of an operation is measured as
/// the number of blocks read from the device, with a cache that is too small for the directory. A
/// linear search for each name would read a thousand times as many.
@Timeout(600)
final class LargeDirectoryTest {
  private static final Caller ROOT = Caller.ROOT;
  private static final int NAMES = 100_000;
  private static final int NAMES_OF_LINUX = 10_000;

  /// The largest average number of blocks that one operation may read: for the name, the inode,
  /// bitmaps and descriptors.
  private static final long MOST_READS = 12;

  @TempDir Path folder;

  /// A device that counts the blocks read.
  private static final class Counting extends DeviceOverDevice {
    private static final int BLOCK = 4096;
    private final AtomicLong blocks = new AtomicLong();

    Counting(BlockDevice device) {
      super(device);
    }

    @Override
    public void read(long position, Block into, long offset, int bytes) throws IOException {
      blocks.addAndGet((bytes + BLOCK - 1) / BLOCK);
      super.read(position, into, offset, bytes);
    }
  }

  private Path image(long bytes) throws IOException {
    Path image = E2fsprogs.image(folder, "image", bytes);
    try (BlockDevice device = BlockDevices.file(image, false)) {
      FormatOptions format =
          FormatOptions.forDevice(bytes).withBlockBytes(4096).withJournalBlocks(0);
      Ext2Format.format(device, format.withBytesPerInode(4096), _ -> {});
    }
    return image;
  }

  private static Ext2 mount(Counting device) throws IOException {
    MountOptions options = MountOptions.defaults().withCacheBytes(2 << 20).withInodes(1000);
    return Ext2.mount(device, options);
  }

  private static byte[] name(int number) {
    // 5 to about 60 bytes
    String text = number + "-" + "x".repeat(number * 31 % 53);
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static List<Integer> shuffled(int count, long seed) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      numbers.add(i);
    }
    Collections.shuffle(numbers, new Random(seed));
    return numbers;
  }

  private interface Step {
    void on(int number) throws IOException;
  }

  private static void each(Counting device, String what, List<Integer> numbers, Step step)
      throws IOException {
    long before = device.blocks.get();
    for (int number : numbers) {
      step.on(number);
    }
    long reads = device.blocks.get() - before;
    assertThat(reads)
        .as("blocks read to %s %d names", what, numbers.size())
        .isLessThan(MOST_READS * numbers.size() + 10_000); // the index may be built once
  }

  @Test
  void aHundredThousandNamesAreMadeFoundListedAndRemoved() throws Exception {
    E2fsprogs.require("e2fsck");
    E2fsprogs.require("debugfs");
    Path image = image(448L << 20);
    long[] inodes = new long[NAMES];
    long directory;
    try (Counting device = new Counting(BlockDevices.file(image, false));
        Ext2 tree = mount(device)) {
      directory = tree.create(ROOT, tree.rootInode(), new byte[] {'d'}, NewFile.directory(0755));
      each(
          device,
          "make",
          shuffled(NAMES, 1),
          n -> inodes[n] = tree.create(ROOT, directory, name(n), NewFile.regular(0644)));
    }
    E2fsprogs.assertClean(image);
    assertThat(E2fsprogs.debugfs(image, "htree_dump d")).contains("Root node");
    try (Counting device = new Counting(BlockDevices.file(image, false));
        Ext2 tree = mount(device)) {
      each(
          device,
          "find",
          shuffled(NAMES, 2),
          n -> assertThat(tree.lookup(ROOT, directory, name(n))).isEqualTo(inodes[n]));
      long before = device.blocks.get();
      assertThat(Ext2Rig.listed(tree, directory, 1000)).hasSize(NAMES + 2);
      assertThat(device.blocks.get() - before).isLessThan(10_000);
      List<Integer> order = shuffled(NAMES, 3);
      each(
          device,
          "remove",
          order.subList(0, NAMES / 2),
          n -> tree.unlink(ROOT, directory, name(n)));
      each(
          device,
          "make again",
          order.subList(0, NAMES / 4),
          n -> inodes[n] = tree.create(ROOT, directory, name(n), NewFile.regular(0644)));
    }
    E2fsprogs.assertClean(image);
    try (Counting device = new Counting(BlockDevices.file(image, false));
        Ext2 tree = mount(device)) {
      assertThat(Ext2Rig.listed(tree, directory, 1000)).hasSize(NAMES / 4 * 3 + 2);
      List<Integer> order = shuffled(NAMES, 3);
      List<Integer> rest = new ArrayList<>(order.subList(0, NAMES / 4));
      rest.addAll(order.subList(NAMES / 2, NAMES));
      each(device, "remove", rest, n -> tree.unlink(ROOT, directory, name(n)));
      assertThat(Ext2Rig.listed(tree, directory, 1000)).hasSize(2);
      tree.rmdir(ROOT, tree.rootInode(), new byte[] {'d'});
    }
    E2fsprogs.assertClean(image);
  }

  @Test
  void aTreeOfHashesOfOthersIsKeptAndNothingIsLost() throws Exception {
    E2fsprogs.require("e2fsck");
    E2fsprogs.require("debugfs");
    Path image = image(96L << 20);
    long[] inodes = new long[2 * NAMES_OF_LINUX];
    try (Counting device = new Counting(BlockDevices.file(image, false));
        Ext2 tree = mount(device)) {
      long directory = tree.create(ROOT, tree.rootInode(), name(0), NewFile.directory(0755));
      for (int n : shuffled(NAMES_OF_LINUX, 4)) {
        inodes[n] = tree.create(ROOT, directory, name(n), NewFile.regular(0644));
      }
    }
    // e2fsck makes hash trees for the large directories.
    E2fsprogs.Result indexed = E2fsprogs.run("e2fsck", "-fyD", image.toString());
    assertThat(indexed.exit()).as(indexed.output()).isBetween(0, 1);
    String path = new String(name(0), StandardCharsets.US_ASCII);
    assertThat(E2fsprogs.debugfs(image, "htree_dump " + path)).contains("Root node");
    try (Counting device = new Counting(BlockDevices.file(image, false));
        Ext2 tree = mount(device)) {
      long directory = tree.lookup(ROOT, tree.rootInode(), name(0));
      each(
          device,
          "find in a tree of hashes",
          shuffled(NAMES_OF_LINUX, 5).subList(0, 20),
          n -> assertThat(tree.lookup(ROOT, directory, name(n))).isEqualTo(inodes[n]));
      each(
          device,
          "make",
          shuffled(NAMES_OF_LINUX, 6),
          n ->
              inodes[NAMES_OF_LINUX + n] =
                  tree.create(ROOT, directory, name(NAMES_OF_LINUX + n), NewFile.regular(0644)));
    }
    E2fsprogs.assertClean(image);
    assertThat(E2fsprogs.debugfs(image, "htree_dump " + path)).contains("Root node");
    try (Counting device = new Counting(BlockDevices.file(image, false));
        Ext2 tree = mount(device)) {
      long directory = tree.lookup(ROOT, tree.rootInode(), name(0));
      each(
          device,
          "find",
          shuffled(2 * NAMES_OF_LINUX, 7),
          n -> assertThat(tree.lookup(ROOT, directory, name(n))).isEqualTo(inodes[n]));
      assertThat(Ext2Rig.listed(tree, directory, 1000)).hasSize(2 * NAMES_OF_LINUX + 2);
    }
  }
}
