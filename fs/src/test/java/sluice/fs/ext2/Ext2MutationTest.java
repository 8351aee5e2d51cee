package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.fs.AttributeChange;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.E2fsprogs;
import sluice.fs.FileAttributes;
import sluice.fs.FileNames;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.Images;
import sluice.fs.NewFile;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.BufferCache;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.BufferCaches;
import sluice.fs.storage.Journals;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// Tests damaged images. Each is either refused or works as far as possible and reports errnos.
/// None makes an operation run for ever, and none breaks the program.
final class Ext2MutationTest {
  private static final int IMAGE_BYTES = 1 << 20;
  private static final int IMAGES = 3000;
  private static final int IMAGES_WITH_TREES = 600;
  private static final int IMAGES_WITH_LOGS = 600;
  private static final int IMAGE_WITH_LOG_BYTES = 4 << 20;
  private static final MountOptions OPTIONS =
      MountOptions.defaults().withCacheBytes(256 << 10).withInodes(64);

  /// The first seed, which can be set to try further images.
  private static final int FIRST = Integer.getInteger("sluice.seed", 0);

  /// A limit that is larger than the number of entries in any image of this size, if no entry is
  /// followed twice.
  private static final int MAX_STEPS = 200_000;

  private static byte[] good = {};

  @BeforeAll
  static void makeAGoodImage() throws IOException {
    try (Ext2Rig rig = new Ext2Rig(IMAGE_BYTES, 1024)) {
      fill(rig);
      rig.tree.close();
      good = Blocks.all(rig.device);
    }
  }

  private static void fill(Ext2Rig rig) throws IOException {
    long directory = rig.directory(rig.root(), "d");
    long below = rig.directory(directory, "below");
    for (int i = 0; i < 60; i++) {
      rig.file(below, longName(i));
    }
    long file = rig.file(directory, "long");
    rig.write(file, 0, "x".repeat(20_000));
    rig.write(file, 300_000, "y".repeat(3000));
    rig.tree.setExtendedAttribute(Caller.ROOT, file, Ext2Rig.name("user.a"), new byte[300], 0);
    rig.tree.setExtendedAttribute(Caller.ROOT, file, Ext2Rig.name("user.b"), new byte[8], 0);
    rig.tree.create(Caller.ROOT, directory, Ext2Rig.name("s"), NewFile.symlink(new byte[100]));
    rig.tree.create(Caller.ROOT, directory, Ext2Rig.name("t"), NewFile.symlink(new byte[10]));
  }

  /// Returns a long name; a directory of 60 such names has several blocks.
  private static String longName(int number) {
    return "a file with a name " + number + "-".repeat(50);
  }

  /// Returns a damaged copy of the image. Half of the images are damaged in metadata, half anywhere
  /// in use.
  private static byte[] damaged(Random random) {
    byte[] bytes = good.clone();
    int count = 1 + random.nextInt(8);
    for (int i = 0; i < count; i++) {
      int at =
          switch (random.nextInt(5)) {
            case 0 -> 1024 + random.nextInt(400);
            case 1 -> 2048 + random.nextInt(32);
            case 2 -> 5 * 1024 + random.nextInt(20 * 256);
            default -> random.nextInt(400 << 10);
          };
      hit(bytes, at, random);
    }
    return bytes;
  }

  private static void hit(byte[] bytes, int place, Random random) {
    int at = place & (random.nextBoolean() ? ~3 : ~0);
    int width = random.nextBoolean() ? 1 : 4;
    int value =
        switch (random.nextInt(4)) {
          case 0 -> -1;
          case 1 -> random.nextInt(1024);
          case 2 -> 1 << random.nextInt(32);
          default -> random.nextInt();
        };
    for (int j = 0; j < width; j++) {
      bytes[at + j] = (byte) (value >>> (8 * j));
    }
  }

  @Test
  @Timeout(900)
  void noDamageIsFatal() throws IOException {
    int mounted = 0;
    for (int seed = FIRST; seed < FIRST + IMAGES; seed++) {
      try (BlockDevice device = BlockDevices.memory(IMAGE_BYTES)) {
        load(device, damaged(new Random(seed)));
        mounted += use(device, seed) ? 1 : 0;
      } catch (RuntimeException | StackOverflowError | OutOfMemoryError | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertThat(mounted).isGreaterThan(IMAGES / 4);
  }

  private static void load(BlockDevice device, byte[] bytes) throws IOException {
    Block block = Blocks.of(bytes.length);
    block.segment().asByteBuffer().put(bytes);
    device.write(0, block, 0, bytes.length);
    block.release();
  }

  /// Damages an image with a log after a crash: the log's descriptors, revoked blocks and content,
  /// and the journal's inode and pointers. The image is read through the log, and replayed.
  @Test
  @Timeout(900)
  void noDamageToALogIsFatal() throws IOException {
    byte[] crashed;
    int[] places;
    try (Ext2Rig rig = new Ext2Rig(IMAGE_WITH_LOG_BYTES, 1024)) {
      fill(rig);
      rig.tree.sync();
      long below = rig.directory(rig.root(), "more");
      for (int i = 0; i < 40; i++) {
        rig.write(rig.file(below, longName(i)), 0, "z".repeat(2000));
      }
      rig.tree.unlink(Caller.ROOT, below, Ext2Rig.name(longName(3)));
      rig.tree.sync();
      crashed = Blocks.all(rig.device);
      places = logOf(rig.device);
    }
    int laid = 0;
    for (int seed = FIRST; seed < FIRST + IMAGES_WITH_LOGS; seed++) {
      Random random = new Random(seed);
      byte[] bytes = crashed.clone();
      int count = 1 + random.nextInt(6);
      for (int i = 0; i < count; i++) {
        boolean log = random.nextInt(4) > 0;
        int block = log ? places[random.nextInt(random.nextBoolean() ? 4 : 60)] : 0;
        int at = log ? random.nextInt(random.nextBoolean() ? 64 : 1024) : random.nextInt(400 << 10);
        hit(bytes, block * 1024 + Math.min(at, 1020), random);
      }
      try (BlockDevice device = BlockDevices.memory(IMAGE_WITH_LOG_BYTES)) {
        load(device, bytes);
        laid += readOnly(device, seed) ? 1 : 0;
        use(device, seed);
      } catch (RuntimeException | StackOverflowError | OutOfMemoryError | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertThat(laid).isGreaterThan(IMAGES_WITH_LOGS / 20);
  }

  /// Returns the log's blocks. Near the beginning, they include the block with the journal's inode
  /// and the inode's block of pointers.
  private static int[] logOf(BlockDevice device) throws IOException {
    Geometry geometry = Geometry.of(Ext2.readSuperblock(device), IMAGE_WITH_LOG_BYTES);
    try (BufferCache cache = BufferCaches.open(device, 1024, 256 << 10)) {
      Volume volume = new Volume(geometry, cache, Journals.plain(cache), "only looked at");
      InodeTable table = new InodeTable(volume);
      IntStream.Builder all = IntStream.builder();
      long[] log = JournalMount.places(geometry, cache);
      all.add((int) log[0]).add((int) table.block(geometry.journalInode)).add((int) log[1]);
      Inode inode = table.loadAny(geometry.journalInode);
      all.add(inode.block[InodeLayout.DIRECT_BLOCKS]);
      for (int i = 2; i < log.length; i++) {
        all.add((int) log[i]);
      }
      return all.build().toArray();
    }
  }

  /// Mounts the image for reading only, traverses it and asserts that it does not change.
  ///
  /// @return true if a log was replayed in memory
  private static boolean readOnly(BlockDevice device, int seed) throws IOException {
    byte[] before = Blocks.all(device);
    MountOptions options = OPTIONS.withReadOnly(true);
    try (Ext2 tree = Ext2.mount(device, options);
        PathWalk walk = new PathWalk(tree, new Random(seed))) {
      walk.go(tree.rootInode(), 0);
      return tree.blocksInLog() > 0;
    } catch (FsException e) {
      expected(e);
      return false;
    } finally {
      assertThat(Blocks.all(device)).isEqualTo(before);
    }
  }

  /// Damages a directory for which e2fsck has made a hash tree, and looks up names in it.
  @Test
  @Timeout(900)
  void noDamageToATreeOfHashesIsFatal(@TempDir Path folder) throws Exception {
    E2fsprogs.require("e2fsck");
    E2fsprogs.require("debugfs");
    Path image = folder.resolve("image");
    try (BlockDevice device = BlockDevices.memory(IMAGE_BYTES)) {
      load(device, good);
      Images.save(device, image);
    }
    assertThat(E2fsprogs.run("e2fsck", "-fyD", image.toString()).exit()).isBetween(0, 1);
    assertThat(E2fsprogs.debugfs(image, "htree_dump /d/below")).contains("Root node");
    int[] blocks =
        Stream.of(E2fsprogs.debugfs(image, "blocks /d/below").split("\\s+"))
            .filter(word -> word.matches("[0-9]+"))
            .mapToInt(Integer::parseInt)
            .toArray();
    byte[] indexed = Files.readAllBytes(image);
    assertThat(blocks).hasSizeGreaterThan(2);
    for (int seed = FIRST; seed < FIRST + IMAGES_WITH_TREES; seed++) {
      Random random = new Random(seed);
      byte[] bytes = indexed.clone();
      int count = 1 + random.nextInt(6);
      for (int i = 0; i < count; i++) {
        // Mostly the root of the tree, which contains its head and its first entries.
        int block = blocks[random.nextInt(3) > 0 ? 0 : random.nextInt(blocks.length)];
        int at = block * 1024 + (random.nextBoolean() ? random.nextInt(64) : random.nextInt(1024));
        bytes[at] = (byte) (random.nextBoolean() ? random.nextInt(4) : random.nextInt());
      }
      try (BlockDevice device = BlockDevices.memory(IMAGE_BYTES)) {
        load(device, bytes);
        use(device, seed);
      } catch (RuntimeException | StackOverflowError | OutOfMemoryError | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  /// Checks, mounts and uses an image.
  ///
  /// @return true if it could be mounted
  private static boolean use(BlockDevice device, int seed) throws IOException {
    try {
      Ext2Check.check(device, _ -> {}, _ -> {});
    } catch (FsException e) {
      expected(e);
    }
    try (Ext2 tree = Ext2.mount(device, OPTIONS);
        PathWalk walk = new PathWalk(tree, new Random(seed))) {
      walk.go(tree.rootInode(), 0);
      return true;
    } catch (FsException e) {
      expected(e);
      return false;
    }
  }

  /// Asserts that the errno is an expected one, and that a report of damage names the place.
  private static void expected(FsException e) {
    if (e.errno() == Errno.EUCLEAN) {
      assertThat(e.getMessage()).containsPattern("(inode|block) [0-9]+: .*; Fix: ");
    }
    assertThat(e.errno())
        .as(e.getMessage())
        .isIn(
            Errno.EUCLEAN,
            Errno.EINVAL,
            Errno.EROFS,
            Errno.ESTALE,
            Errno.ENOENT,
            Errno.EPERM,
            Errno.ENOSPC,
            Errno.ENOTDIR,
            Errno.EISDIR,
            Errno.ENODATA,
            Errno.EMLINK,
            Errno.EIO,
            Errno.ENOTEMPTY,
            Errno.EFBIG,
            Errno.EEXIST,
            Errno.ENXIO,
            Errno.ENODEV,
            Errno.EOPNOTSUPP,
            Errno.EBUSY);
  }

  /// Traverses a tree, reads everything and changes what it finds.
  private static final class PathWalk implements AutoCloseable {
    private final Ext2 tree;
    private final Random random;
    private final Block block = Blocks.of(1 << 16);
    private final Memory memory = Memory.over(block, 0, 1 << 16);
    private int steps;

    PathWalk(Ext2 tree, Random random) {
      this.tree = tree;
      this.random = random;
    }

    @Override
    public void close() {
      memory.close();
      block.release();
    }

    void go(long directory, int depth) throws IOException {
      try {
        find(directory, longName(random.nextInt(70)));
        find(directory, "none");
        tree.list(
            directory,
            0,
            (inode, _, name, _) -> {
              assertThat(steps++).isLessThan(MAX_STEPS);
              if (!FileNames.isDots(name)) {
                visit(directory, inode, name, depth);
              }
              return steps < 3000;
            });
        tree.create(Caller.ROOT, directory, Ext2Rig.name("new"), NewFile.directory(0755));
      } catch (FsException e) {
        expected(e);
      }
    }

    private void find(long directory, String name) throws IOException {
      try {
        tree.lookup(Caller.ROOT, directory, Ext2Rig.name(name));
      } catch (FsException e) {
        expected(e);
      }
    }

    private void visit(long directory, long inode, byte[] name, int depth) {
      try {
        FileAttributes a = tree.attributes(inode);
        switch (a.kind()) {
          case DIRECTORY -> {
            if (depth < 6) {
              go(inode, depth + 1);
            }
          }
          case SYMLINK -> tree.readLink(inode);
          case REGULAR -> {
            tree.read(inode, 0, memory, 0, 1 << 16);
            tree.read(inode, 299_000, memory, 0, 4096);
            tree.slices(inode, 0, 1 << 16, (_, _, _) -> {});
            tree.tryRead(inode, 0, 1 << 16, (_, _, _) -> {});
            tree.seek(inode, 0, true);
            tree.seek(inode, 0, false);
          }
          default -> tree.access(Caller.ROOT, inode, 7);
        }
        tree.extendedAttributes(Caller.ROOT, inode);
        change(directory, inode, name);
      } catch (FsException e) {
        expected(e);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    private void change(long directory, long inode, byte[] name) throws IOException {
      switch (random.nextInt(10)) {
        case 0 -> tree.unlink(Caller.ROOT, directory, name);
        case 1 -> tree.rmdir(Caller.ROOT, directory, name);
        case 2 -> tree.write(Caller.ROOT, inode, 15_000, memory, 0, 9000);
        case 3 -> tree.setAttributes(Caller.ROOT, inode, AttributeChange.NONE.withSize(700));
        case 4 ->
            tree.setExtendedAttribute(
                Caller.ROOT, inode, Ext2Rig.name("user.new"), new byte[40], 0);
        case 5 ->
            tree.rename(Caller.ROOT, directory, name, 2, Ext2Rig.name("moved"), random.nextInt(3));
        case 7 -> tree.write(Caller.ROOT, inode, 0, memory, 0, 14_000);
        case 8 ->
            tree.allocate(
                Caller.ROOT, inode, FileTree.PUNCH_HOLE | FileTree.KEEP_SIZE, 5000, 300_000);
        case 6 -> tree.link(Caller.ROOT, inode, directory, Ext2Rig.name("linked"));
        default -> tree.attributes(inode);
      }
    }
  }
}
