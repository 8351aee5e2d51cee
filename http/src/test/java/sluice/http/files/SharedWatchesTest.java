package sluice.http.files;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.http.site.Site;
import sluice.http.site.SitePath;

/// What thousands of sites take of inotify, by what the kernel says of this process, and that a
/// change reaches each of them.
@Timeout(300)
class SharedWatchesTest {
  private static final int HOSTS = 5_000;
  private static final int LOOPS = 2;

  @TempDir Path directory;
  private final List<WatchedFiles> opened = new ArrayList<>();
  private int instances;
  private int watches;

  @BeforeEach
  void count() throws IOException {
    WatchedFiles probe = open(directory);
    close(probe);
    assumeTrue(probe.watches() != null, "needs inotify and openat2(2)");
    instances = kernel("inotify", false);
    watches = kernel("inotify", true);
  }

  private static void close(WatchedFiles files) {
    WatchTable table = files.watches();
    if (table != null) {
      table.close();
    }
    files.files().close();
  }

  @AfterEach
  void close() throws IOException {
    opened.forEach(SharedWatchesTest::close);
    assertThat(kernel("inotify", false)).isEqualTo(instances);
    assertThat(kernel("inotify", true)).isEqualTo(watches);
  }

  private static WatchedFiles open(Path root) throws IOException {
    return WatchedFiles.open(Site.of(root), 100, problem -> {});
  }

  /// Instances of this process, or their watches.
  private static int kernel(String kind, boolean itsWatches) throws IOException {
    int count = 0;
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      for (Path each : all.toList()) {
        count += kernel(each, kind, itsWatches);
      }
    }
    return count;
  }

  private static int kernel(Path descriptor, String kind, boolean itsWatches) {
    try {
      if (!Files.readSymbolicLink(descriptor).toString().contains(kind)) {
        return 0;
      }
      Path info = Path.of("/proc/self/fdinfo", descriptor.getFileName().toString());
      return itsWatches
          ? (int) Files.readAllLines(info).stream().filter(l -> l.startsWith("inotify wd")).count()
          : 1;
    } catch (IOException | UncheckedIOException closed) {
      return 0;
    }
  }

  private WatchTicket watched(WatchedFiles files, String path) {
    WatchTable table = requireNonNull(files.watches());
    WatchTicket ticket = table.ticket();
    SitePath at = SitePath.of(path);
    assertThat(table.cover(ticket, at)).isTrue();
    FileHandle handle = files.files().open(at).handle();
    if (handle != null) {
      assertThat(table.watchFile(ticket, at, handle.fd())).isTrue();
      handle.close();
    }
    return ticket;
  }

  /// Reads by one table, as a loop does, and asks the others.
  private int fallen() {
    AtomicInteger fell = new AtomicInteger();
    Object drained = null;
    for (WatchedFiles each : opened) {
      WatchTable table = requireNonNull(each.watches());
      if (table.queue() == drained) {
        table.takeIn(ticket -> fell.incrementAndGet());
      } else {
        table.drain(ticket -> fell.incrementAndGet());
        drained = table.queue();
      }
    }
    return fell.get();
  }

  @Test
  void hostsAndLoopsOfOneDirectoryShareItsWatches() throws Exception {
    Files.createDirectories(directory.resolve("a"));
    Files.writeString(directory.resolve("a/f"), "1");
    opened.add(open(directory));
    watched(opened.getFirst(), "/a/f");
    int descriptors = kernel("", false);
    int one = kernel("inotify", true) - watches;
    List<WatchTicket> tickets = new ArrayList<>();
    for (int i = 1; i < HOSTS * LOOPS; i++) {
      opened.add(open(directory));
      tickets.add(watched(opened.get(i), "/a/f"));
    }
    assertThat(kernel("inotify", false)).isEqualTo(instances + 1);
    assertThat(kernel("inotify", true) - watches).isEqualTo(one);
    assertThat(kernel("", false)).isEqualTo(descriptors);
    assertThat(opened.stream().mapToInt(each -> requireNonNull(each.watches()).watches()).sum())
        .isEqualTo(3); // the root, the directory, the file

    assertThat(fallen()).isZero();
    Files.writeString(directory.resolve("a/f"), "2");
    assertThat(fallen()).isEqualTo(HOSTS * LOOPS);
    assertThat(tickets).allMatch(WatchTicket::fallen);
  }

  /// A host that goes takes nothing from those that stay.
  @Test
  void theWatchesStayUntilTheLastHostHasGone() throws Exception {
    Files.writeString(directory.resolve("f"), "1");
    for (int i = 0; i < 10; i++) {
      opened.add(open(directory));
      watched(opened.get(i), "/f");
    }
    for (int i = 0; i < 9; i++) {
      close(opened.removeFirst());
    }
    Files.writeString(directory.resolve("f"), "2");
    assertThat(fallen()).isEqualTo(1);
  }

  @Test
  void hostsOfATreeOfDirectoriesAreWatchedByOneInstance() throws Exception {
    int hosts = 500;
    List<Path> roots = new ArrayList<>();
    for (int i = 0; i < hosts; i++) {
      Path root = directory.resolve("tree/" + i % 10 + "/host" + i);
      Files.createDirectories(root.resolve("d"));
      Files.writeString(root.resolve("d/f"), "1");
      roots.add(root);
    }
    for (int i = 0; i < hosts; i++) {
      opened.add(open(roots.get(i)));
      opened.add(open(roots.get(i))); // the other loop
      watched(opened.get(2 * i), "/d/f");
      watched(opened.get(2 * i + 1), "/d/f");
    }
    assertThat(kernel("inotify", false)).isEqualTo(instances + 1);
    int above = directory.getNameCount() + 1 + 1 + 10; // from / to tree/9
    assertThat(kernel("inotify", true) - watches).isEqualTo(3 * hosts + above);

    Files.writeString(directory.resolve("tree/3/host13/d/f"), "2");
    assertThat(fallen()).isEqualTo(2);

    // A directory that is renamed takes the hosts beneath with it, and those that come back see
    // what is there then.
    Files.move(directory.resolve("tree/4"), directory.resolve("tree/away"));
    assertThat(fallen()).isEqualTo(2 * hosts / 10);
    assertThat(opened.get(2 * 14).files().open(SitePath.of("/d/f")).handle()).isNull();
    Files.createDirectories(directory.resolve("tree/4/host14/d"));
    Files.writeString(directory.resolve("tree/4/host14/d/f"), "new");
    fallen();
    WatchTicket again = watched(opened.get(2 * 14), "/d/f");
    WatchTicket other = watched(opened.get(2 * 14 + 1), "/d/f");
    Files.writeString(directory.resolve("tree/4/host14/d/f"), "newer");
    assertThat(fallen()).isEqualTo(2);
    assertThat(again.fallen() && other.fallen()).isTrue();
  }

  @Test
  void aDirectoryThatIsRemovedAndMadeAgainIsSeen() throws Exception {
    Path root = directory.resolve("root");
    for (int round = 0; round < 20; round++) {
      Files.createDirectories(root.resolve("d"));
      Files.writeString(root.resolve("d/f"), "1");
      if (opened.isEmpty()) {
        opened.add(open(root));
        opened.add(open(root));
      }
      fallen();
      WatchTicket one = watched(opened.get(0), "/d/f");
      WatchTicket other = watched(opened.get(1), "/d/f");
      if (round % 2 == 0) {
        Files.delete(root.resolve("d/f"));
        Files.delete(root.resolve("d"));
        Files.delete(root);
      } else {
        Files.move(root, directory.resolve("old" + round));
      }
      assertThat(fallen()).isEqualTo(2);
      assertThat(one.fallen() && other.fallen()).isTrue();
    }
  }

  /// A link that leads elsewhere now is followed by a host that comes later, and by those before.
  @Test
  void allHostsFollowALinkThatWasSwitched() throws Exception {
    for (String each : List.of("1", "2")) {
      Files.createDirectories(directory.resolve(each));
      Files.writeString(directory.resolve(each + "/f"), "release " + each);
    }
    Path link = directory.resolve("www");
    Files.createSymbolicLink(link, Path.of("1"));
    opened.add(open(link));
    watched(opened.get(0), "/f");
    Files.delete(link);
    Files.createSymbolicLink(link, Path.of("2"));
    opened.add(open(link));
    assertThat(fallen()).isEqualTo(1);
    long inode = (long) Files.getAttribute(directory.resolve("2/f"), "unix:ino");
    for (WatchedFiles each : opened) {
      FileStatus status = new FileStatus();
      assertThat(each.files().status(SitePath.of("/f"), status)).isZero();
      assertThat(status.inode).isEqualTo(inode);
    }
  }

  /// A loop that finds the queue empty may go on only when another loop has delivered what it took.
  @Test
  void noLoopOvertakesAnotherThatDelivers() throws Exception {
    Files.writeString(directory.resolve("f"), "0");
    opened.add(open(directory));
    opened.add(open(directory));
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Thread other =
        Thread.ofPlatform()
            .start(() -> {
              try {
                while (!Thread.currentThread().isInterrupted()) {
                  requireNonNull(opened.get(1).watches()).drain(ticket -> {});
                }
              } catch (RuntimeException | Error e) {
                failure.set(e);
              }
            });
    WatchTable table = requireNonNull(opened.get(0).watches());
    for (int i = 0; i < 5_000; i++) {
      WatchTicket ticket = watched(opened.get(0), "/f");
      Files.writeString(directory.resolve("f"), "" + i);
      table.drain(fell -> {});
      assertThat(ticket.fallen()).as("round %d", i).isTrue();
    }
    other.interrupt();
    other.join();
    assertThat(failure.get()).isNull();
  }
}
