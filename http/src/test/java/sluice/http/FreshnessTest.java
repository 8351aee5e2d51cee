package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.http.files.FreshFile;
import sluice.http.site.Site;
import sluice.loop.engine.Backend;
import sluice.loop.server.ServerConfig;
import sluice.testbase.Slice;

/// Requests while files are rewritten, renamed, truncated and deleted: a client that asks after a
/// change's system call returned sees it, and no body mixes two versions.
///
/// All parts of [Slice] together are a million requests on each backend. Each part has random
/// choices of its own.
class FreshnessTest {
  private static final long REQUESTS = 1_000_000;
  private static final int FILES = 40;
  private static final int READERS = 8;

  @TempDir Path root;
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private volatile boolean over;

  @ParameterizedTest
  @CsvSource({"io_uring, 2", "epoll, 1"})
  @Timeout(900)
  void noReplyIsStaleOrMixed(String backend, int loops) throws Exception {
    Slice slice = Slice.current();
    long requests = slice.share(REQUESTS);
    long seed = (long) slice.index() << 32;
    List<FreshFile> files = new ArrayList<>();
    for (int i = 0; i < FILES; i++) {
      files.add(new FreshFile(root, i, i % 4 == 3, new Random(seed + i)));
    }
    ServerConfig server =
        ServerConfig.onLoopback("fresh", 0).withBackend(Backend.parse(backend)).withLoops(loops);
    AtomicLong left = new AtomicLong(requests);
    List<FreshReader> readers = new ArrayList<>();
    try (HttpServer http = HttpServer.start(HttpConfig.of(server, Site.of(root)), failure -> {})) {
      List<Thread> writers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        int first = i;
        writers.add(
            Thread.ofPlatform()
                .start(() -> guarded(() -> write(files, first, new Random(seed + first)), left)));
      }
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < READERS; i++) {
        FreshReader reader =
            new FreshReader(http.server().port(), files, new Random(seed + i), left);
        readers.add(reader);
        threads.add(Thread.ofPlatform().start(() -> guarded(reader::run, left)));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      over = true;
      for (Thread thread : writers) {
        thread.join();
      }
    }
    assertThat(failures).as("part %d of %d", slice.index(), slice.count()).isEmpty();
    assertThat(readers.stream().mapToLong(reader -> reader.made).sum())
        .isGreaterThanOrEqualTo(requests);
    int unavailable = readers.stream().mapToInt(reader -> reader.unavailable).sum();
    assertThat((long) unavailable).isLessThan(requests / 20);
    assertThat(readers.stream().mapToInt(reader -> reader.unchanged).sum()).isPositive();
    assertThat(readers.stream().mapToInt(reader -> reader.partial).sum()).isPositive();
  }

  private interface Work {
    void run() throws Exception;
  }

  private void guarded(Work work, AtomicLong left) {
    try {
      work.run();
    } catch (Throwable e) {
      failures.add(e);
      left.set(0);
    }
  }

  /// Changes every other file, one after the other, in bursts.
  private void write(List<FreshFile> files, int first, Random random)
      throws IOException, InterruptedException {
    while (!over) {
      FreshFile file = files.get(2 * random.nextInt(files.size() / 2) + first);
      for (int i = random.nextInt(3); i >= 0; i--) {
        file.change();
      }
      Thread.sleep(random.nextInt(8));
    }
  }
}
