package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.ext2.layout.EntryBytes;
import sluice.fs.ext2.layout.EntryLayout;
import sluice.fs.ext2.layout.SuperblockLayout;
import sluice.fs.storage.BlockDevices;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// Tests writes to damaged hash trees. Each change works or is refused with an error that names
/// inode and block. No operation runs for ever, and nothing breaks the program.
@Timeout(600)
final class HashTreeFuzzTest {
  private static final int IMAGE_BYTES = 8 << 20;
  private static final int BLOCK = 1024;
  private static final int NAMES = 4000;
  private static final int TREES = 400;
  private static final long HASH_SEED = 1;

  private static byte[] name(int number) {
    return Ext2Rig.name("name-" + number + "-".repeat(number % 40));
  }

  /// An image with a directory whose tree has two levels, and the positions of its blocks.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Good(byte[] image, long directory, int[] nodes, int[] leaves) {}

  private static Good good() throws IOException {
    try (BlockDevice device = BlockDevices.memory(IMAGE_BYTES)) {
      FormatOptions format =
          FormatOptions.forDevice(IMAGE_BYTES).withBlockBytes(BLOCK).withJournalBlocks(0);
      Ext2Format.format(device, format, _ -> {});
      seedHashes(device);
      long directory;
      try (Ext2 tree = Ext2.mount(device, MountOptions.defaults().withCacheBytes(4 << 20))) {
        directory = tree.create(Caller.ROOT, tree.rootInode(), name(0), NewFile.directory(0755));
        long file = tree.create(Caller.ROOT, directory, name(0), NewFile.regular(0644));
        for (int i = 1; i < NAMES; i++) {
          tree.link(Caller.ROOT, file, directory, name(i));
        }
      }
      byte[] bytes = new byte[IMAGE_BYTES];
      Block block = Blocks.of(IMAGE_BYTES);
      device.read(0, block, 0, IMAGE_BYTES);
      block.segment().asByteBuffer().get(bytes);
      block.release();
      return found(bytes, directory);
    }
  }

  /// Sets the seed of the name hashes to a fixed value, so that a seed of this test determines the
  /// tree. Formatting draws it at random.
  private static void seedHashes(BlockDevice device) throws IOException {
    Random random = new Random(HASH_SEED);
    Block block = Blocks.of(BLOCK);
    device.read(BLOCK, block, 0, BLOCK); // the superblock
    for (int i = 0; i < 4; i++) {
      int at = SuperblockLayout.HASH_SEED + 4 * i;
      block.segment().set(ValueLayout.JAVA_INT_UNALIGNED, at, random.nextInt() | 1);
    }
    device.write(BLOCK, block, 0, BLOCK);
    block.release();
  }

  /// Finds the blocks by their content: a node is one entry without a name, a leaf contains our
  /// names.
  private static Good found(byte[] image, long directory) {
    List<Integer> nodes = new ArrayList<>();
    List<Integer> leaves = new ArrayList<>();
    for (int at = 0; at < IMAGE_BYTES; at += BLOCK) {
      boolean root =
          EntryBytes.inode(image, at) == directory
              && EntryBytes.recordLength(image, at) == 12
              && EntryBytes.inode(image, at + 24) == 0
              && image[at + EntryLayout.DX_INFO_LENGTH] == EntryLayout.DX_INFO_BYTES;
      boolean node =
          EntryBytes.inode(image, at) == 0
              && EntryBytes.recordLength(image, at) == BLOCK
              && (EntryBytes.inode(image, at + 8) & 0xFFFF) == (BLOCK - 8) / 8;
      boolean leaf = new String(image, at + 8, 5, StandardCharsets.US_ASCII).equals("name-");
      if (root || node) {
        nodes.add(at);
      } else if (leaf) {
        leaves.add(at);
      }
    }
    return new Good(
        image,
        directory,
        nodes.stream().mapToInt(i -> i).toArray(),
        leaves.stream().mapToInt(i -> i).toArray());
  }

  private static byte[] damaged(Good good, Random random) {
    byte[] bytes = good.image.clone();
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      int[] blocks = random.nextInt(5) == 0 ? good.leaves : good.nodes;
      // The root is the first of the nodes, and is damaged as often as all others together.
      int block = blocks[random.nextBoolean() ? 0 : random.nextInt(blocks.length)];
      int at = block + random.nextInt(random.nextBoolean() ? 64 : BLOCK);
      at = random.nextBoolean() ? at & ~3 : at;
      int width = Math.min(block + BLOCK - at, random.nextBoolean() ? 1 : 4);
      int value =
          switch (random.nextInt(5)) {
            case 0 -> -1;
            case 1 -> 0;
            case 2 -> random.nextInt(400); // another block of the directory
            case 3 -> 1 << random.nextInt(32);
            default -> random.nextInt();
          };
      for (int j = 0; j < width; j++) {
        bytes[at + j] = (byte) (value >>> (8 * j));
      }
    }
    return bytes;
  }

  private int refused;

  private interface Change {
    void run() throws IOException;
  }

  private void attempt(Change change) throws IOException {
    try {
      change.run();
    } catch (FsException e) {
      assertThat(e.errno())
          .as(e.getMessage())
          .isIn(Errno.EUCLEAN, Errno.ENOENT, Errno.EEXIST, Errno.ESTALE, Errno.EMLINK, Errno.EROFS);
      if (e.errno() == Errno.EUCLEAN) {
        assertThat(e.getMessage()).contains("inode ");
        refused++;
      }
    }
  }

  private void use(BlockDevice device, long directory, Random random) throws IOException {
    MountOptions options = MountOptions.defaults().withCacheBytes(4 << 20).withInodes(64);
    try (Ext2 tree = Ext2.mount(device, options)) {
      int[] seen = {0};
      attempt(() ->
          tree.list(
              directory,
              0,
              (_, _, name, _) -> {
                assertThat(name).isNotEmpty();
                assertThat(seen[0]++).isLessThan(IMAGE_BYTES / 8);
                return true;
              }));
      boolean cold = random.nextBoolean();
      for (int i = cold ? 0 : 40; i > 0; i--) {
        attempt(() -> tree.lookup(Caller.ROOT, directory, name(random.nextInt(NAMES))));
      }
      for (int i = 0; i < 150; i++) {
        byte[] added = Ext2Rig.name("new-" + i + "x".repeat(random.nextInt(200)));
        attempt(() -> tree.create(Caller.ROOT, directory, added, NewFile.regular(0644)));
        byte[] old = name(random.nextInt(NAMES));
        if (random.nextInt(4) == 0) {
          byte[] to = Ext2Rig.name("moved-" + i);
          attempt(() -> tree.rename(Caller.ROOT, directory, old, directory, to, 0));
        } else if (random.nextInt(3) == 0) {
          attempt(() -> tree.unlink(Caller.ROOT, directory, old));
        }
      }
      assertThat(tree.status().readOnly()).as("every refusal came before a change").isFalse();
    }
  }

  @Test
  void noDamageIsFatal() throws IOException {
    Good good = good();
    assertThat(good.nodes.length).isGreaterThan(2);
    assertThat(good.leaves.length).isGreaterThan(100);
    for (int seed = 0; seed < TREES; seed++) {
      Random random = new Random(seed);
      try (BlockDevice device = BlockDevices.memory(IMAGE_BYTES)) {
        Block block = Blocks.of(IMAGE_BYTES);
        block.segment().asByteBuffer().put(damaged(good, random));
        device.write(0, block, 0, IMAGE_BYTES);
        block.release();
        use(device, good.directory, random);
      } catch (RuntimeException | StackOverflowError | OutOfMemoryError | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertThat(refused).isGreaterThan(TREES);
  }
}
