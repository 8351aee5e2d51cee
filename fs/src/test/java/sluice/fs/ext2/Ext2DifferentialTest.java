package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.E2fsprogs;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.storage.BlockDevices;

/// Runs the same random operations on our tree and on the kernel's, on images made the same way.
/// All answers are the same, and at the end each side reads the other's image like its own.
@Timeout(300)
final class Ext2DifferentialTest {
  private static final int OPERATIONS = 1500;
  private static final long IMAGE_BYTES = 64L << 20;

  @TempDir Path directory;

  @BeforeAll
  static void tools() {
    for (String program : List.of("e2fsck", "mke2fs", "debugfs", "mount", "python3")) {
      E2fsprogs.require(program);
    }
  }

  @ParameterizedTest(name = "seed {0}, blocks of {1}, {2}")
  @CsvSource({
    "1, 1024, journal",
    "2, 2048, journal",
    "3, 4096, journal",
    "4, 1024, plain",
    "5, 4096, plain",
    "6, 1024, mke2fs -t ext2",
    "7, 4096, mke2fs -t ext2",
    "8, 2048, mke2fs -t ext3",
    "9, 1024, mke2fs -r 0"
  })
  void theKernelSaysTheSame(long seed, int blockBytes, String maker)
      throws IOException, InterruptedException {
    Path image = make("ours.img", blockBytes, maker);
    Path kernels = make("kernels.img", blockBytes, maker);
    Path mountPoint = directory.resolve("mnt");
    String expected;
    try (KernelTree kernel = KernelTree.mount(kernels, mountPoint, false)) {
      List<String> lines = new RandomOperations(seed).lines(OPERATIONS);
      if (maker.equals("mke2fs -r 0")) {
        lines.removeIf(line -> line.contains("xattr"));
      }
      expected = compare(image, kernel, lines, seed);
    }
    E2fsprogs.assertClean(image);
    try (KernelTree kernel = KernelTree.mount(image, mountPoint, true)) {
      assertSame(seed, kernel.run("dump").substring(3), expected);
    }
    // Our code reads the kernel's image without changing it.
    try (BlockDevice device = BlockDevices.file(kernels, true);
        Ext2 tree = Ext2.mount(device, MountOptions.defaults().withReadOnly(true));
        TreeAgent agent = new TreeAgent(tree)) {
      assertSame(seed, agent.dump(), expected);
    }
    assertThat(E2fsprogs.debugfs(image, "stat <2>")).contains("Type: directory");
  }

  private Path make(String name, int blockBytes, String maker)
      throws IOException, InterruptedException {
    Path image = E2fsprogs.image(directory, name, IMAGE_BYTES);
    String block = String.valueOf(blockBytes);
    switch (maker) {
      case "journal", "plain" -> {
        try (BlockDevice device = BlockDevices.file(image, false)) {
          FormatOptions options = FormatOptions.forDevice(IMAGE_BYTES).withBlockBytes(blockBytes);
          options = maker.equals("plain") ? options.withJournalBlocks(0) : options;
          Ext2Format.format(device, options, _ -> {});
        }
      }
      default -> {
        String[] words = maker.split(" ", -1);
        E2fsprogs.mke2fs(image, words[1], words[2], "-b", block);
      }
    }
    return image;
  }

  /// Runs the lines on our tree and compares the answers with the kernel's.
  ///
  /// @return the whole tree at the end
  private String compare(Path image, KernelTree kernel, List<String> lines, long seed)
      throws IOException {
    MountOptions options = MountOptions.defaults().withCacheBytes(4 << 20).withInodes(64);
    try (BlockDevice device = BlockDevices.file(image, false);
        Ext2 tree = Ext2.mount(device, options);
        TreeAgent agent = new TreeAgent(tree)) {
      tree.setAttributes(Caller.ROOT, tree.rootInode(), AttributeChange.NONE.withMode(0777));
      kernel.run("chmod 2e 511");
      int number = 0;
      for (String line : lines) {
        number++;
        if (line.startsWith("link ")) {
          // A rule of the system may keep users from linking to files that they do not own.
          agent.run("become 0 0");
          kernel.run("become 0 0");
        }
        String ours = agent.run(line);
        if (ours.equals(TreeAgent.SKIPPED)) {
          continue;
        }
        String theirs = kernel.run(line);
        assertThat(ours).as("seed %d, operation %d: %s", seed, number, line).isEqualTo(theirs);
      }
      String ours = agent.dump();
      assertSame(seed, ours, kernel.run("dump").substring(3));
      return ours;
    }
  }

  private static void assertSame(long seed, String actual, String expected) {
    assertThat(actual.split(";"))
        .as(String.format(Locale.ROOT, "the tree of seed %d", seed))
        .isEqualTo(expected.split(";"));
  }
}
