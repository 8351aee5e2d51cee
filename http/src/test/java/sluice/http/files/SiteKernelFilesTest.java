package sluice.http.files;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.http.files.SiteAnswer.Content;
import sluice.http.site.Site;
import sluice.http.site.SitePath;
import sluice.memory.Account;
import sluice.sys.Errno;

/// The kernel's own resolution, on real files.
@Timeout(240)
class SiteKernelFilesTest {
  private static final SiteFiles.Filter ALL = (name, kind) -> true;

  @TempDir Path directory;
  private Path root;
  private final List<SiteKernelFiles> opened = new ArrayList<>();

  @BeforeEach
  void publish() throws IOException {
    root = Files.createDirectories(directory.resolve("www"));
    Files.createDirectories(root.resolve("d/e"));
    Files.writeString(root.resolve("d/f"), "hello");
    Files.writeString(directory.resolve("secret"), "secret");
    assumeTrue(available(), "needs openat2(2): Linux 5.6, and no seccomp filter against it");
  }

  private static SiteFiles open(Path at) throws IOException {
    return WatchedFiles.open(Site.of(at), 0, problem -> {}).files();
  }

  private boolean available() throws IOException {
    try (SiteFiles files = open(root)) {
      return files instanceof SiteKernelFiles;
    }
  }

  @AfterEach
  void close() {
    opened.forEach(SiteKernelFiles::close);
  }

  private SiteKernelFiles files(Site.Symlinks symlinks) throws IOException {
    SiteKernelFiles files =
        (SiteKernelFiles)
            WatchedFiles.open(Site.of(root).withSymlinks(symlinks), 0, problem -> {}).files();
    opened.add(files);
    return files;
  }

  private static String open(SiteFiles files, String path) {
    SiteFiles.Opened result = files.open(SitePath.of(path));
    try (FileHandle handle = result.handle()) {
      if (handle == null) {
        return Errno.name(result.errno());
      }
      FileStatus status = new FileStatus();
      assertThat(handle.status(status)).isZero();
      return (status.isDirectory() ? "directory" : "file")
          + (result.symlink() ? " through a link" : "");
    }
  }

  @Test
  void opensFilesAndDirectories() throws IOException {
    SiteKernelFiles files = files(Site.Symlinks.INSIDE);
    assertThat(open(files, "/")).isEqualTo("directory");
    assertThat(open(files, "/d")).isEqualTo("directory");
    assertThat(open(files, "/d/f")).isEqualTo("file");
    assertThat(open(files, "/d/f/x")).isEqualTo("ENOTDIR");
    assertThat(open(files, "/none")).isEqualTo("ENOENT");
    assertThat(open(files, "/" + "x".repeat(256))).isEqualTo("ENAMETOOLONG");
    assertThat(files.shortcoming()).isNull();
  }

  @Test
  void keepsTheLinkPolicy() throws IOException {
    Files.createSymbolicLink(root.resolve("in"), Path.of("d/f"));
    Files.createSymbolicLink(root.resolve("dir"), Path.of("d"));
    Files.createSymbolicLink(root.resolve("d/up"), Path.of("../d/f"));
    Files.createSymbolicLink(root.resolve("absolute"), root.resolve("d").toAbsolutePath());
    Files.createSymbolicLink(root.resolve("out"), Path.of("../secret"));
    Files.createSymbolicLink(root.resolve("far"), directory.resolve("secret").toAbsolutePath());
    Files.createSymbolicLink(root.resolve("self"), Path.of("self"));
    Files.createSymbolicLink(root.resolve("gone"), Path.of("none"));
    Path secret = directory.resolve("secret").toRealPath();
    Files.createSymbolicLink(root.resolve("magic"), Path.of("/proc/self/root" + secret));
    Path beside = Files.createDirectories(directory.resolve("www-secret"));
    Files.writeString(beside.resolve("f"), "x");
    Files.createSymbolicLink(root.resolve("prefix"), beside.resolve("f").toAbsolutePath());

    SiteKernelFiles inside = files(Site.Symlinks.INSIDE);
    for (String path : List.of("/in", "/dir/f", "/d/up", "/absolute/f")) {
      assertThat(open(inside, path)).as(path).isEqualTo("file through a link");
    }
    for (String path : List.of("/out", "/far", "/prefix")) {
      assertThat(open(inside, path)).as(path).isEqualTo("EXDEV");
    }
    assertThat(open(inside, "/magic")).isIn("EXDEV", "ELOOP");
    assertThat(open(inside, "/self")).isEqualTo("ELOOP");
    assertThat(open(inside, "/gone")).isEqualTo("ENOENT");

    SiteKernelFiles refuse = files(Site.Symlinks.REFUSE);
    for (String path : List.of("/in", "/dir/f", "/d/up", "/absolute/f", "/out", "/far")) {
      assertThat(open(refuse, path)).as(path).isEqualTo("ELOOP");
    }
    assertThat(open(refuse, "/d/f")).isEqualTo("file");

    Files.delete(root.resolve("magic"));
    SiteKernelFiles follow = files(Site.Symlinks.FOLLOW);
    for (String path : List.of("/in", "/absolute/f", "/out", "/far")) {
      assertThat(open(follow, path)).as(path).isEqualTo("file through a link");
    }
  }

  @Test
  void neverWaitsForAFifoAndOpensNoSocketOrDevice() throws Exception {
    Path fifo = root.resolve("fifo");
    Process mkfifo;
    try {
      mkfifo = new ProcessBuilder("mkfifo", fifo.toString()).start();
    } catch (IOException e) {
      assumeTrue(false, "needs mkfifo(1)");
      return;
    }
    assertThat(mkfifo.waitFor()).isZero();
    Files.createSymbolicLink(root.resolve("null"), Path.of("/dev/null"));
    assertThat(open(files(Site.Symlinks.INSIDE), "/fifo")).isEqualTo("ENXIO");
    assertThat(open(files(Site.Symlinks.FOLLOW), "/null")).isEqualTo("ENXIO");
    Files.delete(root.resolve("null"));
  }

  @Test
  void takesNamesOfAnyBytes() throws Exception {
    byte[] name = {'x', (byte) 0xff, '\n'};
    SiteKernelFiles files = files(Site.Symlinks.INSIDE);
    assertThat(files.open(SitePath.ROOT.child(name)).errno()).isEqualTo(Errno.ENOENT);
    Files.writeString(root.resolve("é€😀"), "x");
    assertThat(open(files, "/é€😀")).isEqualTo("file");
    assertThat(files.list(SitePath.ROOT, 10, ALL).entries())
        .extracting(entry -> new String(entry.name(), StandardCharsets.UTF_8))
        .containsExactly("d", "é€😀");
  }

  @Test
  void listsUpToALimit() throws IOException {
    for (int i = 0; i < 500; i++) {
      Files.writeString(root.resolve("d/e/" + i), "x".repeat(i));
    }
    Files.createSymbolicLink(root.resolve("d/e/link"), Path.of("none"));
    SiteKernelFiles files = files(Site.Symlinks.INSIDE);
    SiteFiles.Listed all = files.list(SitePath.of("/d/e/"), 1000, ALL);
    assertThat(all.entries()).hasSize(501);
    assertThat(all.more()).isZero();
    assertThat(all.entries())
        .allMatch(entry ->
            entry.status().kind == FileStatus.SYMLINK
                || String.valueOf(entry.status().sizeBytes)
                    .equals(new String(entry.name(), StandardCharsets.UTF_8)));
    SiteFiles.Listed some = files.list(SitePath.of("/d/e/"), 10, ALL);
    assertThat(some.entries()).hasSize(10);
    assertThat(some.more()).isEqualTo(491);
    assertThat(some.entries()) // the first in order, wherever the file system has them
        .extracting(entry -> new String(entry.name(), StandardCharsets.UTF_8))
        .containsExactly("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
    assertThat(files.list(SitePath.of("/none/"), 10, ALL).errno()).isEqualTo(Errno.ENOENT);
  }

  @Test
  void readsAndTellsStatus() throws IOException {
    SiteKernelFiles files = files(Site.Symlinks.INSIDE);
    FileStatus byPath = new FileStatus();
    FileStatus byHandle = new FileStatus();
    assertThat(files.status(SitePath.of("/d/f"), byPath)).isZero();
    assertThat(files.status(SitePath.of("/none"), byHandle)).isEqualTo(-Errno.ENOENT);
    try (Arena arena = Arena.ofConfined();
        FileHandle handle = requireNonNull(files.open(SitePath.of("/d/f")).handle())) {
      assertThat(handle.status(byHandle)).isZero();
      assertThat(byPath.sameState(byHandle)).isTrue();
      assertThat(byPath.inode)
          .isEqualTo(((Number) Files.getAttribute(root.resolve("d/f"), "unix:ino")).longValue());
      handle.settle();
      MemorySegment target = arena.allocate(10);
      assertThat(handle.read(target, 1, 9, 1)).isEqualTo(4);
      assertThat(target.toArray(ValueLayout.JAVA_BYTE)).startsWith(0, 'e', 'l', 'l', 'o', 0);
      assertThat(handle.read(target, 0, 9, 5)).isZero();
    }
  }

  @Test
  void saysWhatIsWrongWithTheRoot() {
    assertThatThrownBy(() -> open(directory.resolve("none")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ENOENT")
        .hasMessageContaining("none");
    assertThatThrownBy(() -> open(directory.resolve("secret")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ENOTDIR");
  }

  private static long descriptors(Path file) throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.filter(fd -> target(fd).filter(at -> at.startsWith(file.toString())).isPresent())
          .count();
    }
  }

  private static Optional<String> target(Path fd) {
    try {
      return Optional.of(Files.readSymbolicLink(fd).toString());
    } catch (IOException e) {
      return Optional.empty(); // closed meanwhile
    }
  }

  @Test
  void replacedAndDeletedFilesAreHeldByTransfersOnly() throws Exception {
    Account memory = new Account("test", 1 << 20);
    Site site = Site.of(root).withCacheableBytes(1000).withCompression(false, 0);
    Path real = root.toRealPath();
    SiteKernelFiles files = files(Site.Symlinks.INSIDE);
    FileFill fill =
        new FileFill(
            site, files, null, memory, path -> false, new FileReader(memory, FileClock.SYSTEM));
    Files.writeString(root.resolve("small"), "x".repeat(1000));
    Files.writeString(root.resolve("large"), "x".repeat(1001));
    FileStream transfer;
    Content large = (Content) fill.answer(SitePath.of("/large"));
    try (large;
        Content small = (Content) fill.answer(SitePath.of("/small"))) {
      assertThat(small.variant().block()).isNotNull();
      assertThat(descriptors(real.resolve("small"))).as("a copy needs no descriptor").isZero();
      assertThat(descriptors(real.resolve("large"))).isEqualTo(1);
      transfer = requireNonNull(large.variant().stream()).retain();
      Files.delete(root.resolve("small"));
      Path next = Files.writeString(root.resolve("next"), "y".repeat(1001));
      Files.move(next, root.resolve("large"), StandardCopyOption.ATOMIC_MOVE);
      FileStatus scratch = new FileStatus();
      assertThat(transfer.stillSame(scratch)).as("goes on with what it began").isTrue();
    }
    assertThat(descriptors(real.resolve("large"))).as("the transfer's").isEqualTo(1);
    transfer.release();
    assertThat(descriptors(real.resolve("large"))).as("the space is free now").isZero();
    assertThat(descriptors(real)).as("the root itself, by table and test").isLessThanOrEqualTo(2);
    assertThat(memory.usedBytes()).isZero();
  }
}
