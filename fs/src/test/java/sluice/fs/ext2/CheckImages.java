package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import sluice.fs.Blocks;
import sluice.fs.E2fsprogs;
import sluice.fs.NewFile;
import sluice.fs.ext2.format.FormatOptions;

/// Valid images with different features, made by `mke2fs -d` and by our `mkfs`, for tests that
/// damage them. Confined to the test's thread.
final class CheckImages {
  private static final int IMAGE_BYTES = 4 << 20;

  /// The options of mke2fs by the name of the image.
  private static final Map<String, String> MADE_BY_MKE2FS =
      Map.of(
          "plain", "-t ext2 -b 1024 -I 128 -N 256",
          "revision-0", "-t ext2 -r 0 -b 1024 -N 128",
          "groups", "-t ext2 -b 1024 -g 1024 -I 256 -N 256 -O ^resize_inode",
          "journal", "-t ext3 -b 1024 -J size=1 -I 256 -N 256 -E hash_seed=" + uuid(7),
          "uninit_bg", "-t ext2 -b 1024 -g 1024 -O uninit_bg,^resize_inode -I 256 -N 512",
          "uninit_bg-journal", "-t ext3 -b 1024 -J size=1 -O uninit_bg -I 128 -N 256",
          "metadata_csum", "-t ext2 -b 1024 -g 1024 -O metadata_csum -I 256 -N 256",
          "metadata_csum-journal", "-t ext3 -b 1024 -J size=1 -O metadata_csum -I 256 -N 256",
          "blocks-of-4k", "-t ext2 -b 4096 -I 256 -N 128");

  private CheckImages() {}

  private static String uuid(int last) {
    return "00000000-0000-4000-8000-00000000000" + last;
  }

  /// Returns the bytes of all images by their names.
  static Map<String, byte[]> all(Path folder) throws IOException, InterruptedException {
    Path content = folder.resolve("content");
    makeContent(content);
    Map<String, byte[]> images = new LinkedHashMap<>();
    for (String name : MADE_BY_MKE2FS.keySet().stream().sorted().toList()) {
      Path image = E2fsprogs.image(folder, name, IMAGE_BYTES);
      String options = "-d " + content + " -U " + uuid(1) + " " + MADE_BY_MKE2FS.get(name);
      E2fsprogs.mke2fs(image, options.split(" ", -1));
      furnish(image);
      images.put(name, Files.readAllBytes(image));
      Files.delete(image);
    }
    images.put("ours", ours(0));
    images.put("ours-journal", ours(FormatOptions.MIN_JOURNAL_BLOCKS));
    return images;
  }

  /// Creates the content that mke2fs copies: directories of one block and of several, files with
  /// pointers of each level that the size allows, holes, hard and symbolic links.
  private static void makeContent(Path content) throws IOException {
    Path many = content.resolve("many");
    Files.createDirectories(many.resolve("below"));
    for (int i = 0; i < 60; i++) {
      Files.writeString(many.resolve("a file with a name " + i + "-".repeat(50)), "x");
    }
    Files.write(content.resolve("indirect"), new byte[20_000]);
    byte[] full = new byte[300_000];
    java.util.Arrays.fill(full, (byte) 'y');
    Files.write(content.resolve("double"), full);
    Files.writeString(content.resolve("indirect"), "z".repeat(30_000));
    Files.createSymbolicLink(content.resolve("short-link"), Path.of("indirect"));
    Files.createSymbolicLink(content.resolve("long-link"), Path.of("l".repeat(100)));
    Files.createLink(content.resolve("second-name"), content.resolve("indirect"));
  }

  /// Adds content that mke2fs does not copy: devices, extended attributes and a hash tree.
  private static void furnish(Path image) throws IOException, InterruptedException {
    Path value = Files.writeString(image.resolveSibling("value"), "v".repeat(300));
    Path commands = image.resolveSibling("commands");
    Files.writeString(
        commands,
        """
        mknod pipe p
        mknod character c 4 64
        ea_set -f %s indirect user.large
        ea_set double user.small little
        """
            .formatted(value));
    E2fsprogs.run("debugfs", "-w", "-f", commands.toString(), image.toString());
    int exit = E2fsprogs.run("e2fsck", "-fyD", image.toString()).exit();
    assertThat(exit).isBetween(0, 1);
    E2fsprogs.assertClean(image);
    Files.delete(commands);
    Files.delete(value);
  }

  private static byte[] ours(int journalBlocks) throws IOException {
    FormatOptions format =
        FormatOptions.forDevice(IMAGE_BYTES).withBlockBytes(1024).withJournalBlocks(journalBlocks);
    MountOptions options = MountOptions.defaults().withCacheBytes(4 << 20);
    try (Ext2Rig rig = new Ext2Rig(IMAGE_BYTES, format, options)) {
      long many = rig.directory(rig.root(), "many");
      for (int i = 0; i < 60; i++) {
        rig.file(many, "a file with a name " + i + "-".repeat(50));
      }
      long file = rig.file(rig.directory(rig.root(), "d"), "long");
      rig.write(file, 0, "x".repeat(20_000));
      rig.write(file, 300_000, "y".repeat(3000));
      rig.tree.setExtendedAttribute(Ext2Rig.ROOT, file, Ext2Rig.name("user.a"), new byte[300], 0);
      rig.tree.setExtendedAttribute(Ext2Rig.ROOT, file, Ext2Rig.name("user.b"), new byte[8], 0);
      rig.tree.create(
          Ext2Rig.ROOT, rig.root(), Ext2Rig.name("s"), NewFile.symlink(new byte[] {'a', 'b'}));
      byte[] target = "l".repeat(100).getBytes(java.nio.charset.StandardCharsets.UTF_8);
      rig.tree.create(Ext2Rig.ROOT, rig.root(), Ext2Rig.name("t"), NewFile.symlink(target));
      rig.tree.close();
      return Blocks.all(rig.device);
    }
  }
}
