package sluice.http.files;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.http.files.SiteAnswer.Content;
import sluice.http.site.Site;
import sluice.http.site.SitePath;
import sluice.memory.Account;

/// Writers, fills and a loop at the same time, on real files.
@Timeout(300)
class WatchConcurrentTest {
  private static final int FILES = 4;
  private static final int BODY_BYTES = 64 << 10;
  private static final int LEAST_HITS = 1000;
  private static final int LEAST_FILLS = 20;
  private static final int LEAST_READ = 100;
  private static final long RUN_NANOS = TimeUnit.SECONDS.toNanos(4);

  /// A slow machine may take so long for the least of what is to be seen.
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(100);

  @TempDir Path root;
  private final Account memory = new Account("test", 1 << 26);
  private final AtomicIntegerArray published = new AtomicIntegerArray(FILES);
  private final Queue<Integer> wanted = new ConcurrentLinkedQueue<>();
  private final Queue<Filled> filled = new ConcurrentLinkedQueue<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile boolean over;
  private int hits;
  private int fills;
  private SiteKernelFiles files;
  private WatchTable table;

  @BeforeEach
  void open() throws IOException {
    WatchedFiles opened = WatchedFiles.open(Site.of(root), 1000, problem -> {});
    assumeTrue(opened.files() instanceof SiteKernelFiles, "needs openat2(2)");
    files = (SiteKernelFiles) opened.files();
    table = requireNonNull(opened.watches());
    assumeTrue(table.blindBecause() == null, "needs a temporary directory inotify sees: " + root);
  }

  @AfterEach
  void close() {
    table.close();
    files.close();
    assertThat(memory.usedBytes()).isZero();
  }

  private FileFill fill(FileReader reader) {
    Site site = Site.of(root).withCompression(true, 0);
    return new FileFill(site, files, table, memory, path -> false, reader);
  }

  /// A body that is one int throughout.
  private static ByteBuffer body(int version) {
    ByteBuffer body = ByteBuffer.allocateDirect(BODY_BYTES);
    while (body.hasRemaining()) {
      body.putInt(version);
    }
    return body.flip();
  }

  private static int version(Content content) {
    var bytes = requireNonNull(content.variant().block()).segment();
    int version = bytes.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
    for (long at = 0; at < bytes.byteSize(); at += 4) {
      if (bytes.get(ValueLayout.JAVA_INT_UNALIGNED, at) != version) {
        throw new AssertionError("mixed: " + version + " and others in " + content.status());
      }
    }
    return Integer.reverseBytes(version);
  }

  private void publish(int file, int version, boolean inPlace) throws IOException {
    Path path = root.resolve("d/" + file);
    Path target = inPlace ? path : root.resolve("next");
    try (FileChannel channel =
        FileChannel.open(target, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.write(body(version), 0);
    }
    if (!inPlace) {
      Files.move(target, path, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  private record Filled(int file, SiteAnswer answer) {}

  /// What a loop does: drain, take finished fills, answer. A hit must be of the version that had
  /// been published before the drain, or a later one, and all of one piece.
  @Test
  void hitsAreNeitherStaleNorMixed() throws Exception {
    long seed = Long.getLong("sluice.seed", 1);
    Files.createDirectories(root.resolve("d"));
    for (int file = 0; file < FILES; file++) {
      publish(file, 0, false);
    }
    Thread writer = start(() -> write(new Random(seed)));
    Thread filler = start(this::fillAll);
    try {
      loop(new Random(~seed));
    } finally {
      over = true;
      writer.join();
      filler.join();
      filled.forEach(each -> each.answer().close());
    }
    assertThat(failure.get()).as("seed " + seed).isNull();
    assertThat(hits).as("hits, seed " + seed).isGreaterThan(LEAST_HITS);
    assertThat(fills).as("fills, seed " + seed).isGreaterThan(LEAST_FILLS);
  }

  /// Whether time is over, or enough was seen.
  private static boolean goesOn(long start, long runNanos, boolean seen) {
    return System.nanoTime() - start < (seen ? runNanos : TIMEOUT_NANOS);
  }

  private void loop(Random random) {
    @Nullable Content[] cache = new Content[FILES];
    boolean[] asked = new boolean[FILES];
    Queue<WatchTicket> gone = new ArrayDeque<>();
    long start = System.nanoTime();
    while (goesOn(start, RUN_NANOS, hits > LEAST_HITS && fills > LEAST_FILLS)
        && failure.get() == null) {
      int file = random.nextInt(FILES);
      int before = published.get(file); // "the request arrives"
      table.drain(gone::add);
      for (WatchTicket ticket = gone.poll(); ticket != null; ticket = gone.poll()) {
        if (ticket.attachment() instanceof Integer at) {
          requireNonNull(cache[at]).close();
          cache[at] = null;
        }
      }
      for (Filled each = filled.poll(); each != null; each = filled.poll()) {
        asked[each.file()] = false;
        WatchTicket ticket = each.answer().ticket();
        if (each.answer() instanceof Content content && ticket != null && !ticket.fallen()) {
          ticket.attach(each.file());
          cache[each.file()] = content;
          fills++;
        } else {
          each.answer().close();
        }
      }
      Content content = cache[file];
      if (content != null) {
        hits++;
        assertThat(version(content)).as("file " + file).isGreaterThanOrEqualTo(before);
      } else if (!asked[file]) {
        asked[file] = true;
        wanted.add(file);
      }
    }
    for (Content content : cache) {
      if (content != null) {
        content.close();
      }
    }
  }

  private void write(Random random) throws Exception {
    for (int version = 1; !over; version++) {
      int file = random.nextInt(FILES);
      publish(file, version, random.nextBoolean());
      published.set(file, version);
      Thread.sleep(random.nextInt(60));
    }
  }

  private void fillAll() throws Exception {
    FileFill fill = fill(new FileReader(memory, FileClock.SYSTEM));
    while (!over) {
      Integer file = wanted.poll();
      if (file == null) {
        Thread.sleep(1);
      } else {
        filled.add(new Filled(file, fill.answer(SitePath.of("/d/" + file))));
      }
    }
  }

  private interface Work {
    void run() throws Exception;
  }

  private Thread start(Work work) {
    return Thread.ofPlatform()
        .start(() -> {
          try {
            work.run();
          } catch (Throwable e) {
            failure.compareAndSet(null, e);
          }
        });
  }

  /// Without the quiet time, so that fills and writes meet: the barrier alone keeps versions apart,
  /// where the kernel has fine-grained times.
  @Test
  void aFillDuringAWriteIsOfOneVersion() throws Exception {
    assumeTrue(kernelAtLeast(6, 13), "needs Linux 6.13 for fine-grained file times");
    FileClock hasty =
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
    Files.createDirectories(root.resolve("d"));
    publish(0, 0, false);
    Thread writer = start(this::rewrite);
    FileFill fill = fill(new FileReader(memory, hasty));
    int read = 0;
    int latest = 0;
    long start = System.nanoTime();
    while (goesOn(start, RUN_NANOS / 2, read > LEAST_READ) && failure.get() == null) {
      try (SiteAnswer answer = fill.answer(SitePath.of("/d/0"))) {
        if (answer instanceof Content content) {
          int version = version(content);
          assertThat(version).isGreaterThanOrEqualTo(latest);
          latest = version;
          read++;
        }
      }
      table.drain(ticket -> {});
    }
    over = true;
    writer.join();
    assertThat(failure.get()).isNull();
    assertThat(read).isGreaterThan(LEAST_READ);
  }

  private void rewrite() throws Exception {
    Random random = new Random(1);
    for (int version = 1; !over; version++) {
      publish(0, version, true);
      if (random.nextInt(4) == 0) {
        Thread.sleep(1);
      }
    }
  }

  private static boolean kernelAtLeast(int major, int minor) {
    Matcher version =
        Pattern.compile("(\\d+)\\.(\\d+).*").matcher(System.getProperty("os.version"));
    if (!version.matches()) {
      return false;
    }
    int first = Integer.parseInt(version.group(1));
    return first > major || (first == major && Integer.parseInt(version.group(2)) >= minor);
  }
}
