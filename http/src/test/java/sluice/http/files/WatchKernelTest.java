package sluice.http.files;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.http.files.SiteAnswer.Content;
import sluice.http.files.SiteAnswer.Keep;
import sluice.http.site.Site;
import sluice.http.site.SitePath;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.sys.Errno;
import sluice.sys.ResourceLimit;
import sluice.testkit.LoadedClasses;

/// The promise itself, on real files and real inotify: a thread that asks after a change's system
/// call has returned never gets what was there before.
@Timeout(120)
class WatchKernelTest {
  /// A clock for which every file is old: no other program writes while these tests fill.
  private static final FileClock NO_WAITING =
      new FileClock() {
        @Override
        public long nowNanos() {
          return Long.MAX_VALUE;
        }

        @Override
        public void pause(long nanos) {
          Thread.onSpinWait();
        }
      };

  @TempDir Path directory;
  private final Account memory = new Account("test", 1 << 26);
  private final Map<String, Content> kept = new HashMap<>();
  private Path root;
  private SiteKernelFiles files;
  private WatchTable table;
  private FileFill fill;
  private int fell;

  @BeforeEach
  void open() throws IOException {
    Files.createDirectories(directory.resolve("releases/1"));
    Files.createSymbolicLink(directory.resolve("www"), Path.of("releases/1"));
    root = directory.resolve("www");
    WatchedFiles opened = WatchedFiles.open(Site.of(root), 10_000, problem -> {});
    assumeTrue(opened.files() instanceof SiteKernelFiles, "needs openat2(2)");
    files = (SiteKernelFiles) opened.files();
    table = requireNonNull(opened.watches());
    assumeTrue(
        table.blindBecause() == null, "needs a temporary directory inotify sees: " + directory);
    fill = fill(10_000);
  }

  private FileFill fill(long cacheable) {
    Site site = Site.of(root).withCacheableBytes(cacheable).withCompression(true, 0);
    return new FileFill(
        site, files, table, memory, path -> false, new FileReader(memory, NO_WAITING));
  }

  @AfterEach
  void close() {
    kept.values().forEach(Content::close);
    assertThat(memory.usedBytes()).isZero();
    table.close();
    files.close();
  }

  private void drain() {
    table.drain(ticket -> {
      fell++;
      if (ticket.attachment() instanceof String path) {
        requireNonNull(kept.remove(path)).close();
      }
    });
  }

  private Path at(String path) {
    return root.resolve(path);
  }

  private void write(String path, String text) throws IOException {
    Files.createDirectories(requireNonNull(at(path).getParent()));
    Files.writeString(at(path), text);
  }

  /// Fills and keeps, as a loop does: drained after the fill, kept only if the ticket stands.
  private @Nullable Content get(String path) {
    Content held = kept.get(path);
    if (held != null) {
      return held;
    }
    SiteAnswer answer = fill.answer(SitePath.of(path));
    drain();
    WatchTicket ticket = answer.ticket();
    if (answer instanceof Content content
        && (content.keep() == Keep.REVALIDATE || (ticket != null && !ticket.fallen()))) {
      if (ticket != null) {
        ticket.attach(path);
      }
      kept.put(path, content);
      return content;
    }
    answer.close();
    return null;
  }

  private static byte[] bytes(Content content) {
    Block block = content.variant().block();
    return block == null ? new byte[0] : block.segment().toArray(ValueLayout.JAVA_BYTE);
  }

  private void seesChange(String path, Change change) throws Exception {
    drain();
    Content content = requireNonNull(get(path));
    assertThat(content.keep()).isEqualTo(Keep.WATCHED);
    drain();
    assertThat(kept).as("stands before").containsKey(path);
    change.make();
    drain();
    assertThat(kept).as("fell after").doesNotContainKey(path);
  }

  /// One change by one or more system calls.
  interface Change {
    void make() throws Exception;
  }

  @Test
  void seesEveryKindOfChange() throws Exception {
    Path other = Files.createDirectories(directory.resolve("other"));
    List<Change> changes =
        List.of(
            () -> Files.writeString(at("a/b/f"), "x", StandardOpenOption.WRITE),
            () -> Files.writeString(at("a/b/f"), "x", StandardOpenOption.APPEND),
            () -> FileChannel.open(at("a/b/f"), StandardOpenOption.WRITE).truncate(1).close(),
            () -> Files.delete(at("a/b/f")),
            () -> Files.move(at("a/b/g"), at("a/b/f"), StandardCopyOption.ATOMIC_MOVE),
            () -> Files.move(at("a/b/f"), at("a/b/h")),
            () -> Files.move(at("a/b"), at("a/c")),
            () -> Files.move(at("a"), at("z")),
            () -> Files.move(at("a"), other.resolve("a")),
            () ->
                Files.setPosixFilePermissions(
                    at("a/b/f"), PosixFilePermissions.fromString("---------")),
            () ->
                Files.setPosixFilePermissions(
                    at("a"), PosixFilePermissions.fromString("rwx------")),
            () ->
                Files.setLastModifiedTime(
                    at("a/b/f"), java.nio.file.attribute.FileTime.fromMillis(0)),
            () -> Files.writeString(at("a/b/f.br"), "new sibling"),
            () -> {
              Files.createLink(other.resolve("link"), at("a/b/f"));
            },
            () -> {
              Files.delete(directory.resolve("www"));
              Files.createSymbolicLink(directory.resolve("www"), Path.of("releases/2"));
            },
            () -> Files.move(directory.resolve("releases"), directory.resolve("moved")));
    for (Change change : changes) {
      reset(other);
      seesChange("/a/b/f", change);
    }
  }

  /// The root is switched while the process has no descriptor left: what the descriptor of the root
  /// still leads to is served no more, and the new root is found and watched later.
  @Test
  void aRootThatIsSwitchedWithoutDescriptorsIsFoundLater() throws Exception {
    Files.createDirectories(directory.resolve("releases/2"));
    write("f", "release 1");
    Files.writeString(directory.resolve("releases/2/f"), "release 2");
    drain();
    assertThat(bytes(requireNonNull(get("/f")))).asString().isEqualTo("release 1");
    LoadedClasses.withAllOf(WatchTable.class);
    Files.delete(root);
    Files.createSymbolicLink(root, Path.of("releases/2"));
    long limit = ResourceLimit.of(ResourceLimit.RLIMIT_NOFILE).soft();
    FileStatus status = new FileStatus();
    int result;
    ResourceLimit.soft(ResourceLimit.RLIMIT_NOFILE, 0);
    try {
      drain();
      result = files.status(SitePath.of("/f"), status); // needs no descriptor
    } finally {
      ResourceLimit.soft(ResourceLimit.RLIMIT_NOFILE, limit);
    }
    assertThat(kept).isEmpty();
    assertThat(result).isEqualTo(-Errno.EMFILE);
    drain();
    assertThat(table.blindBecause()).isNull();
    assertThat(bytes(requireNonNull(get("/f")))).asString().isEqualTo("release 2");
    seesChange("/f", () -> Files.writeString(at("f"), "x", StandardOpenOption.APPEND));
    seesChange(
        "/f",
        () -> {
          Files.delete(root);
          Files.createSymbolicLink(root, Path.of("releases/1"));
        });
  }

  private void reset(Path other) throws Exception {
    delete(other);
    Files.createDirectories(other);
    Path moved = directory.resolve("moved");
    if (Files.exists(moved)) {
      Files.move(moved, directory.resolve("releases"));
    }
    Files.deleteIfExists(root);
    Files.createSymbolicLink(root, Path.of("releases/1"));
    for (String release : List.of("1", "2")) {
      Path base = directory.resolve("releases").resolve(release);
      delete(base);
      Files.createDirectories(base.resolve("a/b"));
      Files.writeString(base.resolve("a/b/f"), "release " + release);
      Files.writeString(base.resolve("a/b/g"), "other");
    }
    drain();
  }

  private static void delete(Path tree) throws IOException {
    if (Files.isDirectory(tree, LinkOption.NOFOLLOW_LINKS)) {
      try (var entries = Files.list(tree)) {
        for (Path entry : entries.toList()) {
          delete(entry);
        }
      }
    }
    Files.deleteIfExists(tree);
  }

  @Test
  void aWriteThroughAHardLinkIsSeen() throws Exception {
    write("f", "one");
    Path link = directory.resolve("link");
    Files.createLink(link, at("f"));
    drain();
    seesChange("/f", () -> Files.writeString(link, "two"));
    assertThat(
            new String(bytes(requireNonNull(get("/f"))), java.nio.charset.StandardCharsets.UTF_8))
        .isEqualTo("two");
  }

  @Test
  void theRootMayBeSwitchedAndComeBack() throws Exception {
    write("f", "one");
    Files.createDirectories(directory.resolve("releases/2"));
    Files.writeString(directory.resolve("releases/2/f"), "two");
    drain();
    assertThat(bytes(requireNonNull(get("/f")))).asString().isEqualTo("one");
    Files.createSymbolicLink(directory.resolve("next"), Path.of("releases/2"));
    Files.move(directory.resolve("next"), root, StandardCopyOption.ATOMIC_MOVE);
    drain();
    assertThat(bytes(requireNonNull(get("/f")))).asString().isEqualTo("two");
    Files.delete(root);
    drain();
    assertThat(get("/f")).isNull();
    assertThat(fill.answer(SitePath.of("/f"))).isInstanceOf(SiteAnswer.Refusal.class);
    Files.createSymbolicLink(root, Path.of("releases/1"));
    drain();
    Content back = requireNonNull(get("/f"));
    assertThat(bytes(back)).asString().isEqualTo("one");
    assertThat(back.keep()).isEqualTo(Keep.WATCHED);
    seesChange("/f", () -> Files.writeString(at("f"), "three"));
  }

  @Test
  void lostEventsFellEverything() throws Exception {
    write("f", "one");
    write("noise1", "x");
    write("noise2", "x");
    drain();
    get("/f");
    get("/noise1");
    get("/noise2");
    // By lines: a file of sysctl gives its value to the first read only, which must be long enough.
    Path limit = Path.of("/proc/sys/fs/inotify/max_queued_events");
    int queue = Integer.parseInt(Files.readAllLines(limit).getFirst().strip());
    assumeTrue(queue <= 100_000, "needs fs.inotify.max_queued_events of at most 100000");
    ByteBuffer one = ByteBuffer.allocateDirect(1);
    try (FileChannel a = FileChannel.open(at("noise1"), StandardOpenOption.WRITE);
        FileChannel b = FileChannel.open(at("noise2"), StandardOpenOption.WRITE)) {
      for (int i = 0; i <= queue / 2 + 10; i++) {
        a.write(one.rewind(), 0);
        b.write(one.rewind(), 0);
      }
    }
    drain();
    assertThat(table.overflows()).isPositive();
    assertThat(kept).isEmpty();
    seesChange("/f", () -> Files.writeString(at("f"), "two"));
  }

  /// Random system calls, one after another; after each, nothing that is still kept may differ from
  /// the disk. Entries behind symbolic links must say so when they are compared.
  @Test
  void randomChangesAreSeenWhenTheirCallReturns() throws Exception {
    long seed = Long.getLong("sluice.seed", 1);
    Random random = new Random(seed);
    String[] paths = {"f", "a/f", "a/b/f", "a/b/g", "c/d/e/f", "s/f", "l"};
    FileStatus scratch = new FileStatus();
    int hits = 0;
    int checked = 0;
    for (int round = 0; round < 3000; round++) {
      String about = "seed " + seed + ", round " + round;
      for (int i = random.nextInt(3); i >= 0; i--) {
        get("/" + paths[random.nextInt(paths.length)]);
      }
      try {
        change(random, paths, round);
      } catch (FileSystemException e) {
        // Nothing there to be changed: as good a case as any.
      }
      drain();
      for (Map.Entry<String, Content> entry : Map.copyOf(kept).entrySet()) {
        Content content = entry.getValue();
        if (content.keep() == Keep.REVALIDATE) {
          checked++;
          if (!content.stillCurrent(files, scratch)) {
            kept.remove(entry.getKey());
            content.close();
            continue;
          }
        }
        hits++;
        Path on = at(entry.getKey().substring(1));
        assertThat(on).as(about).isRegularFile();
        assertThat(bytes(content)).as(about).isEqualTo(Files.readAllBytes(on));
      }
    }
    assertThat(hits).as("the cache was of use, seed " + seed).isGreaterThan(1500);
    assertThat(checked).as("links were compared, seed " + seed).isGreaterThan(100);
    assertThat(fell).isGreaterThan(500);
  }

  private void change(Random random, String[] paths, int round) throws IOException {
    Path path = at(paths[random.nextInt(5)]);
    String text = "version " + round + " " + "x".repeat(random.nextInt(50));
    switch (random.nextInt(16)) {
      case 0, 1, 2 -> write(root.relativize(path).toString(), text);
      case 3 -> {
        Files.createDirectories(requireNonNull(path.getParent()));
        Path next = Files.writeString(directory.resolve("next"), text);
        Files.move(next, path, StandardCopyOption.ATOMIC_MOVE);
      }
      case 4 -> Files.deleteIfExists(path);
      case 5 -> {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
          channel.truncate(random.nextInt(10));
        }
      }
      case 6 -> Files.move(at("a"), at("c/moved"));
      case 7 -> Files.move(at("c/moved"), at("a"));
      case 8 -> Files.move(at("a/b"), at("b"));
      case 9 -> Files.move(at("b"), at("a/b"));
      case 10 -> {
        Path link = directory.resolve("link");
        Files.deleteIfExists(link);
        Files.createLink(link, path);
      }
      case 11 -> Files.writeString(directory.resolve("link"), text, StandardOpenOption.WRITE);
      case 12 -> swap(at("s"), random.nextBoolean() ? "a" : "c/d/e");
      case 13 -> swap(at("l"), paths[random.nextInt(5)]);
      case 14 -> {
        try {
          Files.deleteIfExists(at("c/d/e/f"));
          Files.deleteIfExists(at("c/d/e"));
          Files.deleteIfExists(at("c/d"));
        } catch (DirectoryNotEmptyException e) {
          Files.writeString(at("f"), text);
        }
      }
      default -> {
        if (random.nextInt(10) == 0) {
          Path next = directory.resolve("releases/" + (2 + random.nextInt(2)));
          Files.createDirectories(next.resolve("a"));
          Files.writeString(next.resolve("a/f"), text);
          swap(root, directory.relativize(next).toString());
        }
      }
    }
  }

  private void swap(Path link, String target) throws IOException {
    Path next = directory.resolve("newlink");
    Files.deleteIfExists(next);
    Files.createSymbolicLink(next, Path.of(target));
    Files.move(next, link, StandardCopyOption.ATOMIC_MOVE);
  }
}
