package sluice.http.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.memory.View;
import sluice.memory.ViewBinder;
import sluice.testbase.Await;

@Timeout(240)
class AccessLogTest {
  private static final long TIME = 971_211_336_123L;
  private static final long V4_LOW = 0x0000_ffff_c000_0201L;
  private static final Duration QUIET = Duration.ofMillis(50);

  private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());
  @TempDir Path directory;

  private AccessLog open(Path file) throws IOException {
    Duration await = Duration.ofSeconds(Await.SECONDS); // for a writer without a processor
    return new AccessLog(file, ZoneOffset.ofHours(-7), complaints::add, await, QUIET);
  }

  private static View view(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    ViewBinder binder = new ViewBinder(Thread.currentThread());
    return binder.bind(MemorySegment.ofArray(bytes), 0, bytes.length);
  }

  private static boolean log(AccessLogRing ring, String line, String referrer, String agent) {
    if (!ring.begin(TIME, 0, V4_LOW, 200, 2326)) {
      return false;
    }
    ring.line(view(line), 0, line.length());
    ring.referrer(view(referrer), 0, referrer.length());
    ring.agent(view(agent), 0, agent.length());
    ring.commit();
    return true;
  }

  private static void await(Path file, String text) throws IOException {
    Await.until(
        "'" + text + "' in " + file,
        () -> Files.exists(file) && Files.readString(file).contains(text));
  }

  @Test
  void writesTheCombinedFormat() throws IOException {
    Path file = directory.resolve("access.log");
    try (AccessLog log = open(file)) {
      AccessLogRing ring = log.ring(16);
      log(ring, "GET /a HTTP/1.1", "http://x/", "curl/8");
      assertThat(ring.begin(TIME, 0x20010db8_00000000L, 1, 404, 0)).isTrue();
      ring.commit();
      assertThat(ring.begin(TIME, 0, 0, 500, 7)).isTrue();
      ring.commit();
    }
    assertThat(Files.readAllLines(file))
        .containsExactly(
            "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a HTTP/1.1\" 200 2326"
                + " \"http://x/\" \"curl/8\"",
            "2001:db8:0:0:0:0:0:1 - - [10/Oct/2000:13:55:36 -0700] \"-\" 404 0 \"-\" \"-\"",
            "- - - [10/Oct/2000:13:55:36 -0700] \"-\" 500 7 \"-\" \"-\"");
  }

  @Test
  void takesWhatAHandlerSees() throws IOException {
    Path file = directory.resolve("access.log");
    View request = view("GET / HTTP/1.1\r\nReferer: r\r\nUser-Agent: ua\r\n");
    try (AccessLog log = open(file)) {
      AccessLogRing ring = log.ring(2);
      assertThat(ring.begin(TIME, 0, V4_LOW, 200, 1)).isTrue();
      ring.line(request, 0, 14);
      ring.referrer(request, 25, 26);
      ring.agent(request, 40, 42);
      ring.commit();
    }
    assertThat(Files.readString(file)).endsWith("\"GET / HTTP/1.1\" 200 1 \"r\" \"ua\"\n");
  }

  @Test
  void nothingAClientSendsEndsAFieldOrALine() throws IOException {
    Path file = directory.resolve("access.log");
    StringBuilder all = new StringBuilder();
    for (char c = 0; c < 256; c++) {
      all.append(c);
    }
    String evil = "a\" 200 1 \"\r\n10.0.0.1 - - [forged]\u001b[31m";
    try (AccessLog log = open(file)) {
      AccessLogRing ring = log.ring(16);
      log(ring, evil, evil, evil);
      log(ring, all.toString(), "\\", "\"");
    }
    String text = Files.readString(file, StandardCharsets.ISO_8859_1);
    assertThat(text.chars().filter(c -> c == '\n')).hasSize(2);
    assertThat(text.chars().filter(c -> c == '"')).hasSize(12);
    assertThat(text.chars().allMatch(c -> c == '\n' || (c >= 0x20 && c < 0x7f))).isTrue();
    assertThat(text).contains("a\\x22 200 1 \\x22\\x0D\\x0A10.0.0.1", "\"\\x5C\" \"\\x22\"\n");
  }

  @Test
  void cutsWhatIsTooLong() throws IOException {
    Path file = directory.resolve("access.log");
    try (AccessLog log = open(file)) {
      log(log.ring(2), "x".repeat(5000), "y".repeat(223), "z".repeat(222));
    }
    assertThat(Files.readString(file))
        .contains("\"" + "x".repeat(512) + "...\"", "\"" + "y".repeat(222) + "...\"")
        .endsWith("\"" + "z".repeat(222) + "\"\n");
  }

  @Test
  void aFullRingDropsAndCounts() {
    AccessLogRing ring = new AccessLogRing(4);
    for (int i = 0; i < 10; i++) {
      assertThat(log(ring, "l" + i, "", "")).isEqualTo(i < 4);
    }
    assertThat(ring.dropped()).isEqualTo(6);
    assertThat(ring.waiting()).isEqualTo(4);
    AccessLogFormat format = new AccessLogFormat(1 << 16, ZoneOffset.UTC);
    ring.format(format);
    ring.advance();
    assertThat(log(ring, "again", "", "")).isTrue();
    assertThat(log(ring, "full", "", "")).isFalse();
    assertThat(StandardCharsets.US_ASCII.decode(format.lines()).toString()).contains("\"l0\"");
  }

  @Test
  void everyRecordOfEveryLoopIsWrittenOnceAndWhole() throws Exception {
    Path file = directory.resolve("access.log");
    int loops = 3;
    int each = 20_000;
    AccessLog log = open(file);
    try (log) {
      List<Thread> threads = new ArrayList<>();
      for (int loop = 0; loop < loops; loop++) {
        AccessLogRing ring = log.ring(1024);
        String name = "L" + loop;
        threads.add(
            Thread.ofPlatform()
                .start(() -> {
                  for (int i = 0; i < each; i++) {
                    log(ring, name + " " + i, "", "end");
                  }
                }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    List<String> lines = Files.readAllLines(file);
    assertThat(lines.size() + log.dropped()).isEqualTo((long) loops * each);
    assertThat(lines).allMatch(line -> line.endsWith("\"end\"")).doesNotHaveDuplicates();
    // the rings may have overflowed, and nothing else may have gone wrong
    assertThat(complaints).allMatch(line -> log.dropped() > 0 && line.contains("dropped"));
  }

  /// A pipe that is not read makes the writer wait, so that the ring fills.
  @Test
  void aLogThatCannotKeepUpIsToldOncePerEpisode() throws Exception {
    Path pipe = directory.resolve("pipe");
    assertThat(Await.end(new ProcessBuilder("mkfifo", pipe.toString()).start())).isZero();
    try (FileChannel reader =
            FileChannel.open(pipe, StandardOpenOption.READ, StandardOpenOption.WRITE);
        AccessLog log = open(pipe)) {
      AccessLogRing ring = log.ring(16);
      for (int episode = 1; episode <= 2; episode++) {
        long before = log.dropped();
        Await.until("a full ring", () -> !log(ring, "x".repeat(500), "", ""));
        assertThat(log.dropped()).isEqualTo(before + 1);
        Thread emptying = Thread.ofPlatform().daemon().start(() -> readAll(reader));
        int lines = 2 * episode;
        Await.until("the end of the episode", () -> complaints.size() == lines);
        assertThat(complaints.get(lines - 2)).contains("are dropped, 1 so far", "Fix:");
        assertThat(complaints.get(lines - 1)).contains("keeps up again; 1 records were dropped");
        reading = false;
        log(ring, "end", "", ""); // what the reader waits for
        Await.end(emptying);
        reading = true;
      }
    }
  }

  private volatile boolean reading = true;

  private void readAll(FileChannel pipe) {
    ByteBuffer into = ByteBuffer.allocate(1 << 16);
    try {
      while (reading) {
        pipe.read(into.clear());
      }
    } catch (IOException e) {
      complaints.add("reading: " + e);
    }
  }

  @Test
  void reopensAfterRotation() throws Exception {
    Path file = directory.resolve("access.log");
    Path old = directory.resolve("access.log.1");
    try (AccessLog log = open(file)) {
      AccessLogRing ring = log.ring(16);
      log(ring, "before", "", "");
      await(file, "before");
      Files.move(file, old);
      log(ring, "between", "", "");
      await(old, "between");
      log.reopen();
      await(file, "");
      log(ring, "after", "", "");
      await(file, "after");
    }
    assertThat(Files.readString(old)).contains("before", "between").doesNotContain("after");
    assertThat(Files.readAllLines(file)).hasSize(1);
  }

  @Test
  void aDiskThatFailsLosesRecordsNotRequests() throws Exception {
    Path full = Path.of("/dev/full");
    org.junit.jupiter.api.Assumptions.assumeTrue(
        Files.exists(full), "needs /dev/full, a device every write to which fails");
    try (AccessLog log = open(full)) {
      AccessLogRing ring = log.ring(16);
      log(ring, "one", "", "");
      Await.until("a record that is lost", () -> log.dropped() > 0);
      log(ring, "two", "", "");
    }
    assertThat(complaints)
        .hasSize(1)
        .first()
        .asString()
        .contains("cannot be written", "Fix: make room");
  }

  /// A pipe whose reader goes away while it is full takes part of a line, as a full disk does.
  @Test
  void aLineThatWasCutByAFailureDoesNotRunIntoTheNext() throws Exception {
    Await.until("a line that was cut", this::cutsALine);
  }

  /// @return false when the reader went between two lines
  private boolean cutsALine() throws Exception {
    Path pipe = Files.createTempDirectory(directory, "pipe").resolve("pipe");
    assertThat(Await.end(new ProcessBuilder("mkfifo", pipe.toString()).start())).isZero();
    FileChannel reader = FileChannel.open(pipe, StandardOpenOption.READ, StandardOpenOption.WRITE);
    complaints.clear();
    try (AccessLog log = open(pipe)) {
      AccessLogRing ring = log.ring(16);
      AtomicInteger records = new AtomicInteger(1);
      Await.until(
          "a full ring",
          () -> {
            records.incrementAndGet();
            return !log(ring, "x".repeat(500), "", "end");
          });
      ByteBuffer into = ByteBuffer.allocate(1 << 20);
      reader.read(into.limit(8 << 10)); // room for a part of what waits in the ring
      Await.until("all in one write", () -> ring.waiting() == 0);
      reader.close();
      log(ring, "lost", "", "end");
      records.incrementAndGet();
      Await.until("a failure", () -> complaints.stream().anyMatch(line -> line.contains("cannot")));
      Await.until("an empty ring", () -> ring.waiting() == 0);
      reader = FileChannel.open(pipe, StandardOpenOption.READ, StandardOpenOption.WRITE);
      assertThat(log(ring, "after", "", "end")).isTrue();
      into.limit(into.capacity());
      while (!text(into).contains("after") || !text(into).endsWith("\n")) {
        reader.read(into);
      }
      List<String> lines = text(into).lines().toList();
      assertThat(lines).allMatch(line -> line.lastIndexOf("192.0.2.1") == 0);
      long whole = lines.stream().filter(line -> line.endsWith("\"end\"")).count();
      Await.untilAsserted(() -> assertThat(log.writtenRecords()).isEqualTo(whole));
      assertThat(log.dropped()).isEqualTo(records.get() - whole).isPositive();
      return whole < lines.size();
    } finally {
      reader.close();
    }
  }

  private static String text(ByteBuffer bytes) {
    return StandardCharsets.US_ASCII.decode(bytes.duplicate().flip()).toString();
  }

  @Test
  void saysWhyItCannotBeOpened() {
    assertThatThrownBy(() -> open(directory.resolve("none/access.log")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Why:")
        .hasMessageContaining("Fix:");
  }
}
