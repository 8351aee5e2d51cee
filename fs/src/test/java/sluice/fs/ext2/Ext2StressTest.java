package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileNames;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.Images;
import sluice.fs.NewFile;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.storage.BlockDevices;
import sluice.sys.Errno;

/// Tests several threads that change the same few directories and files while others read them. No
/// thread waits for ever, no operation is refused without a reason, no directory is lost in a
/// cycle, and the image is consistent afterwards.
@Timeout(300)
final class Ext2StressTest {
  private static final int WORKERS = 3;
  private static final int OPERATIONS = 1500;
  private static final int MOVES = 1500;
  private static final long IMAGE_BYTES = 48L << 20;

  private static final Set<Integer> NEVER =
      Set.of(Errno.EUCLEAN, Errno.EIO, Errno.EROFS, Errno.ENOMEM);

  @TempDir Path directory;
  private volatile boolean over;

  @ParameterizedTest(name = "seed {0}, blocks of {1}, journal {2}")
  @CsvSource({"1, 1024, true", "2, 1024, false", "3, 4096, true", "4, 4096, false"})
  void threadsShareATree(long seed, int blockBytes, boolean journal) throws Exception {
    FormatOptions format = FormatOptions.forDevice(IMAGE_BYTES).withBlockBytes(blockBytes);
    format = journal ? format : format.withJournalBlocks(0);
    MountOptions options = MountOptions.defaults().withCacheBytes(8 << 20).withInodes(64);
    String what = "seed " + seed;
    try (BlockDevice device = BlockDevices.memory(IMAGE_BYTES)) {
      Ext2Format.format(device, format, _ -> {});
      try (Ext2 tree = Ext2.mount(device, options)) {
        share(tree, new Random(seed));
      }
      Images.assertClean(device, directory.resolve("shared.img"), what);
      // Whatever the tree contains now, it can be read and removed as a whole.
      try (Ext2 tree = Ext2.mount(device, options)) {
        removeAll(tree, tree.rootInode());
        assertThat(tree.status().freeBlocks()).as(what).isPositive();
      }
      assertThat(Images.problems(device)).as(what).isEmpty();
    }
  }

  private void share(Ext2 tree, Random random) throws Exception {
    long a = tree.create(Caller.ROOT, tree.rootInode(), name("a"), NewFile.directory(0777));
    long b = tree.create(Caller.ROOT, tree.rootInode(), name("b"), NewFile.directory(0777));
    tree.create(Caller.ROOT, a, name("x"), NewFile.directory(0777));
    tree.create(Caller.ROOT, b, name("y"), NewFile.directory(0777));
    List<Callable<Boolean>> work = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      long seed = random.nextLong();
      work.add(() -> change(tree, seed));
    }
    work.add(() -> move(tree, a, b, random.nextLong()));
    work.add(() -> move(tree, b, a, random.nextLong()));
    work.add(() -> keep(tree));
    work.add(() -> relink(tree, a, random.nextLong()));
    work.add(() -> relink(tree, a, random.nextLong()));
    try (ExecutorService pool = Executors.newFixedThreadPool(work.size() + 2)) {
      List<Future<Boolean>> readers = new ArrayList<>();
      List<Future<Boolean>> running = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        long seed = random.nextLong();
        readers.add(pool.submit(() -> read(tree, seed)));
      }
      work.forEach(one -> running.add(pool.submit(one)));
      try {
        for (Future<Boolean> one : running) {
          assertThat(one.get(200, TimeUnit.SECONDS)).isTrue();
        }
      } finally {
        over = true;
      }
      for (Future<Boolean> one : readers) {
        assertThat(one.get(60, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  private static byte[] name(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static boolean change(Ext2 tree, long seed) throws IOException {
    try (TreeAgent agent = new TreeAgent(tree, false)) {
      for (String line : new RandomOperations(seed).lines(OPERATIONS)) {
        if (!line.startsWith("become")) {
          String answer = run(agent, line);
          assertThat(NEVER.stream().map(Errno::name)).as(line).doesNotContain(answer);
        }
      }
    }
    return true;
  }

  /// Runs a line and returns its answer. Answers to reads are ignored, because content that others
  /// write differs from moment to moment and from one way of reading to another.
  private static String run(TreeAgent agent, String line) throws IOException {
    return line.startsWith("read ") ? "ok" : agent.run(line);
  }

  private interface Action {
    void run() throws IOException;
  }

  private static int attempt(Action action) throws IOException {
    try {
      action.run();
      return 0;
    } catch (FsException refused) {
      if (NEVER.contains(refused.errno())) {
        throw refused;
      }
      return refused.errno();
    }
  }

  /// Moves files and whole directories from one directory to another, from which a second thread
  /// moves them back, and moves directories below each other.
  private static boolean move(Ext2 tree, long from, long to, long seed) throws IOException {
    Random random = new Random(seed);
    int moved = 0;
    for (int i = 0; i < MOVES; i++) {
      byte[] name = name("m" + random.nextInt(4));
      int flags = random.nextInt(4) == 0 ? FileTree.EXCHANGE : 0;
      attempt(() -> tree.create(Caller.ROOT, from, name, NewFile.regular(0644)));
      if (attempt(() -> tree.rename(Caller.ROOT, from, name, to, name, flags)) == 0) {
        moved++;
      }
      // Moves a/x below b/y and b/y below a/x at the same time; only one may succeed.
      attempt(() -> swap(tree, from, to, random.nextBoolean()));
    }
    assertThat(moved).isPositive();
    return true;
  }

  private static void swap(Ext2 tree, long from, long to, boolean down) throws IOException {
    byte[] x = name("x");
    byte[] y = name("y");
    byte[] mine = attempt(() -> tree.lookup(Caller.ROOT, from, x)) == 0 ? x : y;
    byte[] theirs = mine == x ? y : x;
    if (down) {
      tree.rename(Caller.ROOT, from, mine, tree.lookup(Caller.ROOT, to, theirs), mine, 0);
    } else {
      long other = tree.lookup(Caller.ROOT, from, mine);
      tree.rename(Caller.ROOT, other, theirs, to, theirs, 0);
    }
  }

  /// Links a name that was a regular file when it was looked up, while its number is reused for a
  /// directory.
  private static boolean relink(Ext2 tree, long directory, long seed) throws IOException {
    Random random = new Random(seed);
    for (int i = 0; i < OPERATIONS; i++) {
      byte[] name = name("r" + random.nextInt(2));
      byte[] other = name("s" + random.nextInt(2));
      switch (random.nextInt(6)) {
        case 0 -> attempt(() -> tree.create(Caller.ROOT, directory, name, NewFile.regular(0644)));
        case 1 -> attempt(() -> tree.create(Caller.ROOT, directory, name, NewFile.directory(0755)));
        case 2 -> attempt(() -> tree.unlink(Caller.ROOT, directory, other));
        case 3 -> attempt(() -> tree.unlink(Caller.ROOT, directory, name));
        case 4 -> attempt(() -> tree.rmdir(Caller.ROOT, directory, name));
        default ->
            attempt(() -> {
              long file = tree.lookup(Caller.ROOT, directory, name);
              tree.link(Caller.ROOT, file, directory, other);
            });
      }
    }
    return true;
  }

  /// Retains files that lose their names, so that the list of orphans grows, and shrinks in the
  /// middle.
  private static boolean keep(Ext2 tree) throws IOException {
    List<Long> kept = new ArrayList<>();
    Random random = new Random(1);
    for (int i = 0; i < OPERATIONS; i++) {
      byte[] name = name("k" + i);
      long inode = tree.create(Caller.ROOT, tree.rootInode(), name, NewFile.regular(0600));
      tree.retain(inode);
      tree.unlink(Caller.ROOT, tree.rootInode(), name);
      assertThat(tree.attributes(inode).links()).isZero();
      kept.add(inode);
      if (kept.size() > 6) {
        tree.release(kept.remove(random.nextInt(kept.size())));
      }
    }
    for (long inode : kept) {
      tree.release(inode);
    }
    return true;
  }

  /// Lists, looks up and reads everything repeatedly, in every possible way.
  private boolean read(Ext2 tree, long seed) throws IOException {
    Random random = new Random(seed);
    try (TreeState.Reader reader = new TreeState.Reader()) {
      while (!over) {
        attempt(() -> {
          long at = tree.rootInode();
          for (int depth = 0; depth < 4 && at != 0; depth++) {
            at = look(tree, at, random, reader);
          }
        });
      }
    }
    return true;
  }

  /// Reads a directory and everything in it.
  ///
  /// @return a directory in it, 0 if there is none
  private static long look(Ext2 tree, long directory, Random random, TreeState.Reader reader)
      throws IOException {
    List<Long> directories = new ArrayList<>();
    List<byte[]> names = new ArrayList<>();
    tree.list(
        directory,
        0,
        (inode, kind, name, _) -> {
          if (!FileNames.isDots(name)) {
            names.add(name);
            if (kind == FileKind.DIRECTORY) {
              directories.add(inode);
            }
          }
          return true;
        });
    for (byte[] name : names) {
      attempt(() -> {
        long inode = tree.lookup(Caller.ROOT, directory, name);
        long now = tree.tryLookup(Caller.ROOT, directory, name);
        assertThat(now).isGreaterThanOrEqualTo(FileTree.WOULD_BLOCK);
        FileAttributes attributes = tree.attributes(inode);
        if (attributes.kind() == FileKind.REGULAR) {
          reader.touch(tree, inode, attributes.sizeBytes(), random);
        }
      });
    }
    return directories.isEmpty() ? 0 : directories.get(random.nextInt(directories.size()));
  }

  private static void removeAll(Ext2 tree, long directory) throws IOException {
    List<byte[]> names = new ArrayList<>();
    List<FileKind> kinds = new ArrayList<>();
    tree.list(
        directory,
        0,
        (_, kind, name, _) -> {
          names.add(name);
          kinds.add(kind);
          return true;
        });
    for (int i = 0; i < names.size(); i++) {
      if (FileNames.isDots(names.get(i))) {
        continue;
      }
      if (kinds.get(i) == FileKind.DIRECTORY) {
        removeAll(tree, tree.lookup(Caller.ROOT, directory, names.get(i)));
        tree.rmdir(Caller.ROOT, directory, names.get(i));
      } else {
        tree.unlink(Caller.ROOT, directory, names.get(i));
      }
    }
  }
}
