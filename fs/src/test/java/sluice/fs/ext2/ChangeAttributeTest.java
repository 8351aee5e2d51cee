package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.fs.AttributeChange;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.E2fsprogs;
import sluice.fs.FileAttributes;
import sluice.fs.Images;
import sluice.fs.NewFile;
import sluice.fs.block.BlockDevice;
import sluice.fs.storage.BlockDevices;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// Tests that a version, the change attribute of NFSv4, identifies one state of a file, no matter
/// what is evicted from memory and how the server ends. An unchanged file keeps its version.
@Timeout(300)
final class ChangeAttributeTest {
  private static final Caller ROOT = Caller.ROOT;
  private static final int IMAGE_BYTES = 8 << 20;
  private static final int OTHERS = 300;
  private static final MountOptions OPTIONS =
      MountOptions.defaults().withCacheBytes(1 << 20).withInodes(64).withAccessTimes(false);

  @TempDir Path directory;

  private final Map<Long, Integer> contentOf = new HashMap<>();
  private final List<Long> others = new ArrayList<>();
  private final Block block = Blocks.of(4096);
  private final Memory memory = Memory.over(block, 0, 4096);
  private long file;
  private int content;
  private long last;

  private Path made(String options) throws Exception {
    E2fsprogs.require("mke2fs");
    Path image = E2fsprogs.image(directory, "image", IMAGE_BYTES);
    E2fsprogs.mke2fs(image, options.split(" ", -1));
    try (BlockDevice device = BlockDevices.file(image, false);
        Ext2 tree = Ext2.mount(device, OPTIONS)) {
      long root = tree.rootInode();
      file = tree.create(ROOT, root, Ext2Rig.name("file"), NewFile.regular(0644));
      for (int i = 0; i < OTHERS; i++) {
        others.add(tree.create(ROOT, root, Ext2Rig.name("f" + i), NewFile.regular(0644)));
      }
    }
    return image;
  }

  private void evict(Ext2 tree) throws IOException {
    for (int i = 0; tree.tryAttributes(file) != null; i++) {
      assertThat(i).isLessThan(100);
      for (long other : others) {
        assertThat(tree.attributes(other).inode()).isEqualTo(other);
      }
    }
  }

  private void write(Ext2 tree) throws IOException {
    content++;
    memory.set(0, (byte) content);
    memory.set(1, (byte) (content >>> 8));
    assertThat(tree.write(ROOT, file, 0, memory, 0, 2)).isEqualTo(2);
  }

  /// Records the version as a client would, and asserts that it never identified different content.
  private long look(Ext2 tree) throws IOException {
    FileAttributes now = tree.attributes(file);
    Integer before = contentOf.put(now.version(), content);
    if (before != null) {
      assertThat(before).as("what version " + now.version() + " stood for").isEqualTo(content);
    }
    assertThat(now.version()).isGreaterThanOrEqualTo(last);
    last = now.version();
    return now.version();
  }

  private void change(Ext2 tree, Random random) throws IOException {
    switch (random.nextInt(6)) {
      case 0 -> evict(tree);
      case 1 -> {
        long version = look(tree);
        evict(tree);
        assertThat(look(tree)).as("a file that was not changed").isEqualTo(version);
      }
      case 2 -> {
        content++;
        int mode = 0400 | (content & 0377);
        tree.setAttributes(ROOT, file, AttributeChange.NONE.withMode(mode));
      }
      case 3 -> look(tree);
      default -> write(tree);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-t ext2 -b 1024 -I 128", "-t ext3 -b 1024 -I 128 -J size=1",
        "-t ext2 -b 1024 -I 256", "-t ext3 -b 1024 -I 256 -J size=1"
      })
  void aVersionNeverComesTwice(String options) throws Exception {
    Path image = made(options);
    long seed = Long.getLong("sluice.seed", options.hashCode());
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    for (int mount = 0; mount < 4; mount++) {
      try (BlockDevice device = BlockDevices.file(image, false);
          Ext2 tree = Ext2.mount(device, OPTIONS)) {
        for (int i = 0; i < 400; i++) {
          change(tree, random);
        }
        for (int i = 0; i < 20; i++) { // within one second, mostly within one tick
          write(tree);
          long first = look(tree);
          write(tree);
          assertThat(look(tree)).isGreaterThan(first);
          evict(tree);
        }
      }
    }
    E2fsprogs.assertClean(image);
    memory.close();
    block.release();
  }

  /// Checks that versions of changes that a crash has undone are not used for other changes.
  @ParameterizedTest
  @ValueSource(strings = {"-t ext2 -b 1024 -I 128", "-t ext3 -b 1024 -I 256 -J size=1"})
  void norAfterACrash(String options) throws Exception {
    Path image = made(options);
    try (BlockDevice device = BlockDevices.memory(IMAGE_BYTES);
        BlockDevice from = BlockDevices.file(image, true)) {
      Block all = Blocks.of(IMAGE_BYTES);
      from.read(0, all, 0, IMAGE_BYTES);
      device.write(0, all, 0, IMAGE_BYTES);
      for (int crash = 0; crash < 20; crash++) {
        byte[] before = Blocks.all(device);
        int kept = content;
        try (Ext2 tree = Ext2.mount(device, OPTIONS)) {
          for (int i = 0; i < 5; i++) {
            write(tree);
            assertThat(look(tree)).isPositive();
            evict(tree);
          }
        }
        all.segment().asByteBuffer().put(before); // nothing of it has been stored
        device.write(0, all, 0, IMAGE_BYTES);
        assertThat(content).isEqualTo(kept + 5);
        while (Volume.now() <= last) { // no server starts within a tick of the clock
          Thread.onSpinWait();
        }
      }
      all.release();
      Images.assertClean(device, directory.resolve("after"), "afterwards");
    }
    memory.close();
    block.release();
  }
}
