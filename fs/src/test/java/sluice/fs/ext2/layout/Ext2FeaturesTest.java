package sluice.fs.ext2.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.fs.AttributeChange;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.E2fsprogs;
import sluice.fs.Errnos;
import sluice.fs.FileKind;
import sluice.fs.FsException;
import sluice.fs.LinuxTools;
import sluice.fs.NewFile;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.Ext2;
import sluice.fs.ext2.MountOptions;
import sluice.fs.storage.BlockDevices;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// Tests features of images. Known features are used; unknown ones are rejected with the names that
/// e2fsprogs gives them; images with a feature that only forbids writing are readable.
@Timeout(300)
final class Ext2FeaturesTest {
  private static final long IMAGE_BYTES = 32L << 20;
  private static final long SMALL_BYTES = 1L << 20;
  private static final Caller ROOT = Caller.ROOT;

  /// The positions of the three feature words in the superblock.
  private static final int COMPATIBLE = 92;

  private static final int INCOMPATIBLE = 96;
  private static final int READ_ONLY = 100;

  @TempDir Path directory;

  private Path made(String options) throws IOException, InterruptedException {
    return made(options, IMAGE_BYTES);
  }

  private Path made(String options, long bytes) throws IOException, InterruptedException {
    E2fsprogs.require("mke2fs");
    E2fsprogs.require("e2fsck");
    Path image = E2fsprogs.image(directory, "image", bytes);
    E2fsprogs.mke2fs(image, options.split(" ", -1));
    return image;
  }

  private static FsException refusal(Path image, boolean readOnly) throws IOException {
    FsException[] said = new FsException[1];
    try (BlockDevice device = BlockDevices.file(image, readOnly)) {
      MountOptions options = MountOptions.defaults().withReadOnly(readOnly);
      assertThatThrownBy(() -> Ext2.mount(device, options).close())
          .isInstanceOfSatisfying(FsException.class, e -> said[0] = e);
    }
    return said[0];
  }

  private static void setBit(Path image, int word, int bit) throws IOException {
    try (FileChannel file =
        FileChannel.open(image, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer bits = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN);
      file.read(bits, SuperblockLayout.POSITION + word);
      bits.putInt(0, bits.getInt(0) | 1 << bit).position(0);
      file.write(bits, SuperblockLayout.POSITION + word);
    }
  }

  /// Returns the features of an image as e2fsprogs prints them. The list is empty if e2fsprogs
  /// cannot open the image, or has no name for one of the features (and prints `FEATURE_` and a
  /// number).
  private static List<String> namedByLinux(Path image) throws IOException, InterruptedException {
    return E2fsprogs.run("dumpe2fs", "-fh", image.toString())
        .output()
        .lines()
        .filter(said -> said.startsWith("Filesystem features:") && !said.contains("FEATURE_"))
        .flatMap(said -> Stream.of(said.split("\\s+")))
        .toList();
  }

  /// Checks that an image with an unknown incompatible feature is not even read.
  @Test
  void eachUnknownIncompatibleFeatureIsRefusedByItsName() throws Exception {
    E2fsprogs.require("dumpe2fs");
    byte[] good = Files.readAllBytes(made("-t ext2", SMALL_BYTES));
    Path image = directory.resolve("image");
    int named = 0;
    for (int bit = 0; bit < Integer.SIZE; bit++) {
      if (Features.unknownIncompatible(1 << bit) == 0) {
        continue;
      }
      Files.write(image, good);
      setBit(image, INCOMPATIBLE, bit);
      String name = Features.incompatible(1 << bit);
      for (boolean readOnly : new boolean[] {false, true}) {
        FsException said = refusal(image, readOnly);
        assertThat(said.errno()).isEqualTo(Errno.EINVAL);
        assertThat(said).hasMessageContaining("features that we do not know: " + name + "; Fix: ");
      }
      List<String> linux = namedByLinux(image);
      if (!linux.isEmpty()) {
        assertThat(linux).as("bit %d as e2fsprogs names it", bit).contains(name);
        named++;
      }
    }
    assertThat(named).isGreaterThanOrEqualTo(10);
  }

  @Test
  void severalAreNamedTogether() throws Exception {
    Path image = made("-t ext4");
    assertThat(refusal(image, true))
        .hasMessageContaining("extent")
        .hasMessageContaining("64bit")
        .hasMessageContaining("flex_bg");
  }

  /// Checks read-only compatible features, such as quotas, which an unaware writer would not
  /// update.
  @Test
  void eachUnknownReadOnlyFeatureIsReadAndItsNameForbidsWriting() throws Exception {
    E2fsprogs.require("dumpe2fs");
    Path image = made("-t ext2", SMALL_BYTES);
    write(image, "file", 0, "content");
    byte[] good = Files.readAllBytes(image);
    int named = 0;
    for (int bit = 0; bit < Integer.SIZE; bit++) {
      if (Features.unknownReadOnly(1 << bit) == 0) {
        continue;
      }
      Files.write(image, good);
      setBit(image, READ_ONLY, bit);
      String name = Features.readOnlyCompatible(1 << bit);
      FsException said = refusal(image, false);
      assertThat(said.errno()).isEqualTo(Errno.EROFS);
      assertThat(said)
          .hasMessageContaining("only allow reading it: " + name + "; Fix: mount it read-only");
      assertThat(read(image, "file", 0, 7)).isEqualTo("content");
      List<String> linux = namedByLinux(image);
      if (!linux.isEmpty()) {
        assertThat(linux).as("bit %d as e2fsprogs names it", bit).contains(name);
        named++;
      }
    }
    assertThat(named).isGreaterThanOrEqualTo(8);
    assertThat(Features.readOnlyCompatible(Features.unknownReadOnly(-1))).contains("quota");
  }

  /// Tests complete images made by other programs, not only feature bits.
  @ParameterizedTest
  @CsvSource({
    "-t ext2 -O quota, quota",
    "-t ext3 -O huge_file, huge_file",
    "-t ext3 -O uninit_bg, uninit_bg",
    "-t ext3 -O dir_nlink, dir_nlink",
    "-t ext2 -O metadata_csum, metadata_csum"
  })
  void imagesOfOthersAreReadAndNotWritten(String options, String name) throws Exception {
    E2fsprogs.require("debugfs");
    Path image = made(options);
    Path content = Files.writeString(directory.resolve("content"), "from outside");
    LinuxTools.debugfs(image, "write " + content + " file");
    byte[] before = Files.readAllBytes(image);
    FsException said = refusal(image, false);
    assertThat(said.errno()).isEqualTo(Errno.EROFS);
    assertThat(said).hasMessageContaining(name);
    assertThat(read(image, "file", 0, 12)).isEqualTo("from outside");
    assertThat(Files.readAllBytes(image)).isEqualTo(before);
  }

  @Test
  void unknownCompatibleFeaturesForbidNothingButOneThatMovesBackups() throws Exception {
    byte[] good = Files.readAllBytes(made("-t ext2", SMALL_BYTES));
    Path image = directory.resolve("image");
    for (int bit = 12; bit < Integer.SIZE; bit++) {
      Files.write(image, good);
      setBit(image, COMPATIBLE, bit);
      write(image, "file", 0, "content");
      assertThat(read(image, "file", 0, 7)).isEqualTo("content");
    }
    Files.write(image, good);
    setBit(image, COMPATIBLE, 9);
    assertThat(refusal(image, false)).hasMessageContaining("sparse_super2");
  }

  /// Checks with e2fsck that files created in images with and without known features are valid.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "-t ext2 -b 1024 -O ^sparse_super,^resize_inode",
        "-t ext2 -b 1024 -O sparse_super",
        "-t ext2 -b 4096 -O ^large_file",
        "-t ext2 -b 2048 -O ^large_file,^filetype",
        "-t ext2 -b 1024 -I 128",
        "-t ext2 -b 4096 -I 512",
        "-t ext2 -b 1024 -O ^dir_index,^ext_attr,^resize_inode",
        "-t ext3 -b 4096 -I 128"
      })
  void featuresThatWeKnowAreWritten(String options) throws Exception {
    Path image = made(options);
    long seconds = 1_500_000_000L;
    long nanos = seconds * 1_000_000_000L + 123_456_789L;
    try (BlockDevice device = BlockDevices.file(image, false);
        Ext2 tree = Ext2.mount(device, MountOptions.defaults())) {
      for (int i = 0; i < 300; i++) {
        byte[] name = name("name " + i);
        tree.create(
            ROOT,
            tree.rootInode(),
            name,
            i % 7 == 0 ? NewFile.directory(0755) : NewFile.regular(0644));
      }
      long file = tree.lookup(ROOT, tree.rootInode(), name("name 1"));
      tree.setExtendedAttribute(ROOT, file, name("user.a"), new byte[200], 0);
      tree.setAttributes(ROOT, file, AttributeChange.NONE.withModify(nanos));
    }
    E2fsprogs.assertClean(image);
    boolean small = options.contains("-I 128");
    try (BlockDevice device = BlockDevices.file(image, true);
        Ext2 tree = Ext2.mount(device, MountOptions.defaults().withReadOnly(true))) {
      long file = tree.lookup(ROOT, tree.rootInode(), name("name 1"));
      assertThat(tree.extendedAttribute(ROOT, file, name("user.a"))).hasSize(200);
      assertThat(tree.attributes(file).modifyNanos())
          .isEqualTo(small ? seconds * 1_000_000_000L : nanos);
      assertThat(tree.attributes(tree.lookup(ROOT, tree.rootInode(), name("name 7"))).kind())
          .isEqualTo(FileKind.DIRECTORY);
    }
  }

  /// Checks files of 2 GiB and more, which need a feature; the first such file sets it.
  @ParameterizedTest
  @ValueSource(
      strings = {"-t ext2 -b 4096 -O ^large_file,^resize_inode", "-t ext2 -b 4096 -O large_file"})
  void theFirstLargeFileIsNotedInTheSuperblock(String options) throws Exception {
    E2fsprogs.require("dumpe2fs");
    E2fsprogs.require("debugfs");
    Path image = made(options);
    long below = (1L << 31) - 8;
    long above = 5L << 30;
    write(image, "below", below, "1234567");
    assertThat(features(image).contains("large_file")).isEqualTo(!options.contains("^large_file"));
    E2fsprogs.assertClean(image);
    write(image, "above", above, "far away");
    write(image, "cut", 0, "x");
    use(
        image,
        false,
        (tree, _) ->
            tree.setAttributes(
                ROOT,
                tree.lookup(ROOT, tree.rootInode(), name("cut")),
                AttributeChange.NONE.withSize(above)));
    assertThat(features(image)).contains("large_file");
    E2fsprogs.assertClean(image);
    assertThat(read(image, "above", above, 8)).isEqualTo("far away");
    assertThat(E2fsprogs.debugfs(image, "stat above"))
        .contains(String.format(Locale.ROOT, "Size: %d", above + 8));
  }

  /// Checks that no file in an image of revision 0, which has no features, becomes too long for its
  /// readers.
  @Test
  void imagesOfRevisionZeroHaveNoLargeFiles() throws Exception {
    Path image = made("-r 0");
    write(image, "below", (1L << 31) - 8, "1234567");
    E2fsprogs.assertClean(image);
    use(
        image,
        false,
        (tree, memory) -> {
          long file = tree.lookup(ROOT, tree.rootInode(), name("below"));
          assertThat(Errnos.of(() -> tree.write(ROOT, file, 1L << 31, memory, 0, 1)))
              .isEqualTo(Errno.EFBIG);
          AttributeChange longer = AttributeChange.NONE.withSize(1L << 31);
          assertThat(Errnos.of(() -> tree.setAttributes(ROOT, file, longer)))
              .isEqualTo(Errno.EFBIG);
        });
  }

  private static String features(Path image) throws IOException, InterruptedException {
    return E2fsprogs.run("dumpe2fs", "-h", image.toString()).output();
  }

  private static byte[] name(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private interface Use {
    void of(Ext2 tree, Memory memory) throws IOException;
  }

  private static void use(Path image, boolean readOnly, Use use) throws IOException {
    Block block = Blocks.of(4096);
    try (BlockDevice device = BlockDevices.file(image, readOnly);
        Ext2 tree = Ext2.mount(device, MountOptions.defaults().withReadOnly(readOnly));
        Memory memory = Memory.over(block, 0, 4096)) {
      use.of(tree, memory);
    } finally {
      block.release();
    }
  }

  private static void write(Path image, String name, long position, String text)
      throws IOException {
    use(
        image,
        false,
        (tree, memory) -> {
          long file = tree.create(ROOT, tree.rootInode(), name(name), NewFile.regular(0644));
          memory.copyFrom(name(text), 0, 0, text.length());
          assertThat(tree.write(ROOT, file, position, memory, 0, text.length()))
              .isEqualTo(text.length());
        });
  }

  private static String read(Path image, String name, long position, int bytes) throws IOException {
    byte[] copy = new byte[bytes];
    use(
        image,
        true,
        (tree, memory) -> {
          long file = tree.lookup(ROOT, tree.rootInode(), name(name));
          assertThat(tree.read(file, position, memory, 0, bytes)).isEqualTo(bytes);
          memory.copyTo(0, copy, 0, bytes);
        });
    return new String(copy, StandardCharsets.US_ASCII);
  }
}
