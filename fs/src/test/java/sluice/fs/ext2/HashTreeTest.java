package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.fs.Caller;
import sluice.fs.E2fsprogs;
import sluice.fs.NewFile;
import sluice.fs.block.BlockDevice;
import sluice.fs.storage.BlockDevices;

/// Tests the hash trees that our code writes, on images made by mke2fs. e2fsck finds no problem,
/// the kernel finds each name through them and adds names, and our code finds the added names.
@Timeout(1800)
final class HashTreeTest {
  private static final Caller ROOT = Caller.ROOT;
  private static final byte[] DIRECTORY = {'d'};

  /// A Python program that looks up each name of a file in a directory, then creates others with a
  /// prefix.
  private static final String KERNEL =
      """
      import os, sys
      os.chdir(sys.argv[1])
      names = open(sys.argv[2], 'rb').read().split(b'\\0')[:-1]
      for name in names:
          os.stat(name)
      found = os.listdir(b'.')
      assert sorted(found) == sorted(names), (len(found), len(names))
      for i in range(int(sys.argv[3])):
          os.close(os.open(b'kernel-%d' % i, os.O_CREAT | os.O_EXCL))
      for name in names[::3]:
          os.unlink(name)
      print('done')
      """;

  @TempDir Path folder;

  @BeforeEach
  void tools() {
    for (String program : List.of("e2fsck", "mke2fs", "debugfs", "tune2fs", "mount", "python3")) {
      E2fsprogs.require(program);
    }
  }

  private static byte[] bytes(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }

  /// Returns a name of 3 to 255 bytes. Most names are short, some contain bytes above 127.
  private static String name(Random random, int number) {
    int length = random.nextInt(20) == 0 ? random.nextInt(240) : random.nextInt(24);
    String letter = random.nextInt(3) == 0 ? "ü" : "x";
    String name = "n" + number + letter.repeat(letter.equals("x") ? length : length / 2);
    return name;
  }

  private Path image(String type, int blockBytes, String hash, boolean unsigned, int names)
      throws IOException, InterruptedException {
    long bytes = (32L << 20) + names * 700L;
    Path image = E2fsprogs.image(folder, "image", bytes);
    String inodes = String.valueOf(2 * names + 100);
    String block = String.valueOf(blockBytes);
    E2fsprogs.mke2fs(image, "-t", type, "-b", block, "-N", inodes, "-O", "dir_index");
    run("tune2fs", "-E", "hash_alg=" + hash, image.toString());
    run("debugfs", "-w", "-R", "ssv flags " + (unsigned ? 2 : 1), image.toString());
    return image;
  }

  private static String run(String... command) throws IOException, InterruptedException {
    E2fsprogs.Result result = E2fsprogs.run(command);
    assertThat(result.exit()).as(result.output()).isZero();
    return result.output();
  }

  /// A directory in which many names are added, removed and moved at random, with its expected
  /// content.
  private static final class Work {
    private final Random random;
    private final Ext2 tree;
    private final long directory;
    private final List<String> names = new ArrayList<>();
    private final Map<String, Long> expected;
    private int made;

    Work(long seed, Ext2 tree, long directory, Map<String, Long> expected) {
      random = new Random(seed);
      this.tree = tree;
      this.directory = directory;
      this.expected = expected;
      names.addAll(expected.keySet());
    }

    void run(int changes, int removedInTen) throws IOException {
      for (int i = 0; i < changes; i++) {
        int choice = random.nextInt(10);
        if (names.isEmpty() || choice > removedInTen) {
          make();
        } else if (choice == removedInTen) {
          move();
        } else {
          remove();
        }
      }
    }

    private void make() throws IOException {
      String name = name(random, made++);
      long file = tree.create(ROOT, directory, bytes(name), NewFile.regular(0644));
      expected.put(name, file);
      names.add(name);
    }

    private String take() {
      int at = random.nextInt(names.size());
      String last = names.removeLast();
      return at == names.size() ? last : names.set(at, last);
    }

    private void move() throws IOException {
      String from = take();
      String to = name(random, made++);
      tree.rename(ROOT, directory, bytes(from), directory, bytes(to), 0);
      expected.put(to, expected.remove(from));
      names.add(to);
    }

    private void remove() throws IOException {
      String name = take();
      tree.unlink(ROOT, directory, bytes(name));
      expected.remove(name);
    }
  }

  private static Ext2 mount(BlockDevice device) throws IOException {
    return Ext2.mount(device, MountOptions.defaults().withCacheBytes(8 << 20).withInodes(1000));
  }

  private static void assertHolds(Ext2 tree, long directory, Map<String, Long> expected)
      throws IOException {
    Map<String, Long> found = Ext2Rig.listed(tree, directory, 100);
    found.keySet().removeAll(List.of(".", ".."));
    assertThat(found).isEqualTo(expected);
    for (Map.Entry<String, Long> entry : expected.entrySet()) {
      assertThat(tree.lookup(ROOT, directory, bytes(entry.getKey()))).isEqualTo(entry.getValue());
    }
  }

  private void assertIndexed(Path image) throws IOException, InterruptedException {
    E2fsprogs.assertClean(image);
    assertThat(E2fsprogs.debugfs(image, "htree_dump d")).contains("Root node");
  }

  /// Lets the kernel look up all names, create more and remove some; then looks up the rest.
  private void kernel(Path image, Map<String, Long> expected, int more)
      throws IOException, InterruptedException {
    ByteArrayOutputStream list = new ByteArrayOutputStream();
    List<String> names = new ArrayList<>(expected.keySet());
    for (String name : names) {
      list.write(bytes(name));
      list.write(0);
    }
    Path file = Files.write(folder.resolve("names"), list.toByteArray());
    Path point = folder.resolve("mnt");
    try (KernelTree kernel = KernelTree.mount(image, point, false)) {
      assertThat(kernel).isNotNull();
      String directory = point.resolve("d").toString();
      String count = String.valueOf(more);
      assertThat(run("python3", "-c", KERNEL, directory, file.toString(), count)).contains("done");
    }
    for (int i = 0; i < names.size(); i += 3) {
      expected.remove(names.get(i));
    }
    try (BlockDevice device = BlockDevices.file(image, true);
        Ext2 tree = Ext2.mount(device, MountOptions.defaults().withReadOnly(true))) {
      long directory = tree.lookup(ROOT, tree.rootInode(), DIRECTORY);
      for (int i = 0; i < more; i++) {
        String name = "kernel-" + i;
        expected.put(name, tree.lookup(ROOT, directory, bytes(name)));
      }
      assertHolds(tree, directory, expected);
    }
  }

  @ParameterizedTest(name = "{0}, blocks of {1}, {2}, unsigned {3}, {4} names")
  @CsvSource({
    "ext3, 1024, half_md4, false, 100000",
    "ext3, 4096, half_md4, true, 100000",
    "ext2, 1024, half_md4, true, 20000",
    "ext2, 4096, half_md4, false, 20000",
    "ext3, 1024, tea, false, 6000",
    "ext3, 1024, tea, true, 6000",
    "ext3, 1024, legacy, false, 6000",
    "ext2, 2048, legacy, true, 6000"
  })
  void linuxAgrees(String type, int blockBytes, String hash, boolean unsigned, int count)
      throws Exception {
    Path image = image(type, blockBytes, hash, unsigned, count);
    Map<String, Long> expected = new HashMap<>();
    try (BlockDevice device = BlockDevices.file(image, false);
        Ext2 tree = mount(device)) {
      long directory = tree.create(ROOT, tree.rootInode(), DIRECTORY, NewFile.directory(0755));
      Work work = new Work(count, tree, directory, expected);
      work.run(count, 1);
      work.run(count / 4, 6);
      assertHolds(tree, directory, expected);
    }
    assertIndexed(image);
    kernel(image, expected, 3000);
    assertIndexed(image);
    try (BlockDevice device = BlockDevices.file(image, false);
        Ext2 tree = mount(device)) {
      long directory = tree.lookup(ROOT, tree.rootInode(), DIRECTORY);
      Work work = new Work(-count, tree, directory, expected);
      work.made = 10 * count;
      work.run(count / 4, 2);
      assertHolds(tree, directory, expected);
    }
    assertIndexed(image);
  }
}
