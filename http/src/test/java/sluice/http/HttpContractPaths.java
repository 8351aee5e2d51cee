package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import sluice.http.handlers.Route;
import sluice.http.site.Site;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.counters.Counters;
import sluice.testbase.Await;

/// Slashes in a row, listings, times of all centuries, tags that replicas share, and what a reload
/// does.
abstract class HttpContractPaths extends HttpContractMessages {
  private static final Pattern LINK = Pattern.compile("href=\"\\./([^\"?]+)\"");

  @Test
  void slashesInARowAreOne() throws IOException {
    write("d/index.html", "index");
    write("d/x.txt", "x");
    for (int round = 0; round < 2; round++) { // filled first, then from the cache
      assertThat(get("//a.txt").text()).isEqualTo("alpha");
      assertThat(get("////d///x.txt").text()).isEqualTo("x");
      assertThat(get("//").text()).isEqualTo("<p>home</p>");
      assertThat(get("/d//").text()).isEqualTo("index");
      assertThat(get("/d//../a.txt").text()).isEqualTo("alpha");
      assertThat(get("//none").status()).isEqualTo(404);
      assertThat(get("/a.txt//").status()).isEqualTo(404);
    }
  }

  /// A Location that begins with two slashes would name a host (RFC 3986, section 4.2).
  @Test
  void noRedirectLeadsToAnotherHost() throws IOException {
    write("evil.example/index.html", "a directory that is called like a host");
    write("d/evil.example/index.html", "another");
    for (String way :
        List.of(
            "//evil.example",
            "///evil.example",
            "//evil.example?x=//y",
            "/.//evil.example",
            "//./evil.example",
            "/d/..//evil.example",
            "//d//..//evil.example",
            "/d//evil.example",
            "http://test//evil.example")) {
      for (int round = 0; round < 2; round++) {
        HttpAnswer reply = get(way);
        assertThat(reply.status()).as(way).isEqualTo(301);
        String location = reply.the("Location");
        int query = location.indexOf('?');
        String path = query < 0 ? location : location.substring(0, query);
        assertThat(path).as(way).startsWith("/").endsWith("/evil.example/").doesNotContain("//");
        assertThat(get(path).status()).isEqualTo(200);
      }
    }
    for (String way : List.of("/\\evil.example", "//\\evil.example", "/%5cevil.example")) {
      assertThat(get(way).field("Location")).as(way).isNull();
    }
    for (String way : List.of("/%2fevil.example", "//%2f%2fevil.example", "/%09/evil.example")) {
      assertThat(get(way).field("Location")).as(way).isNull();
    }
  }

  /// A route is not passed by with one more slash, nor are the rules of the site.
  @Test
  void slashesInARowLeadAroundNothing() throws IOException {
    write("private/x.txt", "the file below the route");
    write(".git/config", "hidden");
    Route guard =
        Route.at("/private")
            .withSlowHandler((request, responder) -> responder.status(403).send("guarded"));
    start(config -> config.withRoutes(List.of(guard)));
    for (String way :
        List.of("/private/x.txt", "//private/x.txt", "/private//x.txt", "///private///x.txt")) {
      assertThat(get(way).text()).as(way).isEqualTo("guarded");
    }
    for (String way : List.of("//.git/config", "/.git//config", "//.git//")) {
      assertThat(get(way).status()).as(way).isEqualTo(403);
    }
  }

  @Test
  void aListingIsSortedAndCountsWhatItLeavesOut() throws IOException {
    Path directory = Files.createDirectory(root.resolve("many"));
    for (int i = 10_099; i >= 0; i--) { // none in order
      Files.createFile(directory.resolve("f%05d".formatted(i * 77 % 10_100)));
    }
    Files.createDirectory(directory.resolve("z"));
    start(Site.of(root).withListing(true), config -> config);
    String page = get("/many/").text();
    List<String> links = LINK.matcher(page).results().map(HttpContractPaths::link).toList();
    List<String> expected = new ArrayList<>(List.of("z/"));
    for (int i = 0; i < 9_999; i++) {
      expected.add("f%05d".formatted(i));
    }
    assertThat(links).isEqualTo(expected);
    assertThat(page).contains("<p>101 more: only the first 10000 entries are shown.</p>");
  }

  private static String link(MatchResult match) {
    return match.group(1);
  }

  /// As far as the file system keeps them: ext4 until 2446, most others for longer.
  @Test
  void timesOfAllCenturiesAreTold() throws Exception {
    write("t/late.txt", "late");
    write("t/early.txt", "early");
    touch("t/late.txt", "2400-02-29T12:34:56Z");
    touch("t/early.txt", "1930-01-02T03:04:05.999999999Z");
    start(Site.of(root).withListing(true), config -> config);
    assertThat(get("/t/").text())
        .contains("<td>2400-02-29 12:34</td>", "<td>1930-01-02 03:04</td>");
    HttpAnswer past = get("/t/early.txt");
    assertThat(past.the("Last-Modified")).isEqualTo("Thu, 02 Jan 1930 03:04:05 GMT");
    assertThat(get("/t/early.txt", "If-Modified-Since: " + past.the("Last-Modified")).status())
        .isEqualTo(304);
    // later than now: no date is sent, and a condition with one gets everything
    HttpAnswer future = get("/t/late.txt");
    assertThat(future.field("Last-Modified")).isNull();
    assertThat(get("/t/late.txt", "If-Modified-Since: " + future.the("Date")).status())
        .isEqualTo(200);
    assertThat(get("/t/late.txt", "If-None-Match: " + future.the("ETag")).status()).isEqualTo(304);
  }

  /// A precompressed file of another century is older or newer, not the other way round.
  @Test
  void siblingsOfOtherCenturiesAreCompared() throws Exception {
    write("s.css", "plain");
    write("s.css.gz", "packed");
    touch("s.css", "2300-01-01T00:00:00Z");
    assertThat(get("/s.css", "Accept-Encoding: gzip").text()).isEqualTo("plain");
    touch("s.css.gz", "2301-01-01T00:00:00Z");
    assertThat(get("/s.css", "Accept-Encoding: gzip").text()).isEqualTo("packed");
  }

  /// By a program, because `java.nio.file` sets no time after 2262.
  private void touch(String name, String time) throws Exception {
    String file = root.resolve(name).toString();
    run("touch", "-d", time, file);
    Process stat = new ProcessBuilder("stat", "-c", "%Y", file).start();
    String seconds = new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    assumeTrue(
        Long.parseLong(seconds.strip()) == Instant.parse(time).getEpochSecond(),
        "needs a file system that keeps times after 2262");
  }

  // ---- entity tags --------------------------------------------------------------------------

  /// The tags of everything there is, from a copy of the site with inodes of its own.
  private List<String> tagsOfReplica(Site.Tags tags, Path replica) throws IOException {
    Path from = root;
    try (var files = Files.walk(from)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        Path to = replica.resolve(from.relativize(file).toString());
        Files.createDirectories(to.getParent());
        Files.copy(file, to);
        Files.setLastModifiedTime(to, Files.getLastModifiedTime(file));
      }
    }
    start(Site.of(replica).withTags(tags), config -> config);
    return tags();
  }

  private List<String> tags() throws IOException {
    List<String> tags = new ArrayList<>();
    for (String file : List.of("/a.txt", "/empty.txt", "/text.txt", "/large.bin")) {
      for (String coding : List.of("identity", "gzip", "br")) {
        tags.add(get(file, "Accept-Encoding: " + coding).the("ETag"));
      }
    }
    return tags;
  }

  @Test
  void replicasShareTagsWhereTheyAreWanted() throws IOException {
    write("text.txt", "the same line again and again\n".repeat(200));
    write("text.txt.br", "as if it were brotli");
    write("empty.txt", "");
    write("large.bin", pattern(3 << 20, 1));
    age();
    for (Site.Tags form : Site.Tags.values()) {
      start(Site.of(root).withTags(form), config -> config);
      List<String> own = tags();
      List<String> other = tagsOfReplica(form, outside.resolve(form.name()));
      if (form == Site.Tags.INODE) {
        assertThat(other).doesNotContainAnyElementsOf(own);
      } else {
        assertThat(other).as(form.name()).isEqualTo(own);
      }
      assertThat(own.subList(6, 9)).as("each coding has its own").doesNotHaveDuplicates();
      for (int i = 0; i < own.size(); i++) {
        boolean large = i >= 9;
        boolean weak = form == Site.Tags.MTIME_SIZE || (form == Site.Tags.CONTENT && large);
        assertThat(own.get(i)).matches(weak ? "W/\"[!-~]+\"" : "\"[!-~]+\"");
      }
    }
  }

  @Test
  void aTagOfContentSurvivesARewriteAndDiffersWithTheBytes() throws IOException {
    start(Site.of(root).withTags(Site.Tags.CONTENT), config -> config);
    String tag = get("/a.txt").the("ETag");
    write("a.txt", "alphb");
    String changed = get("/a.txt").the("ETag");
    assertThat(changed).isNotEqualTo(tag);
    replace("a.txt", "alpha".getBytes(StandardCharsets.US_ASCII));
    assertThat(get("/a.txt").the("ETag")).isEqualTo(tag);
    assertThat(get("/a.txt", "If-None-Match: " + changed).text()).isEqualTo("alpha");
    assertThat(get("/a.txt", "If-None-Match: " + tag).status()).isEqualTo(304);
    assertThat(get("/a.txt", "Range: bytes=1-2", "If-Range: " + tag).text()).isEqualTo("lp");
    assertThat(get("/a.txt", "If-Match: " + tag).status()).isEqualTo(200);
  }

  @Test
  void aWeakTagAnswersConditionsButNoRange() throws IOException {
    age();
    start(Site.of(root).withTags(Site.Tags.MTIME_SIZE), config -> config);
    HttpAnswer plain = get("/a.txt");
    String tag = plain.the("ETag");
    assertThat(tag).startsWith("W/\"");
    assertThat(get("/a.txt", "If-None-Match: " + tag).status()).isEqualTo(304);
    assertThat(get("/a.txt", "If-None-Match: " + tag.substring(2)).status()).isEqualTo(304);
    assertThat(get("/a.txt", "If-Match: " + tag).status()).isEqualTo(412);
    for (String with : List.of(tag, tag.substring(2))) {
      HttpAnswer whole = get("/a.txt", "Range: bytes=1-2", "If-Range: " + with);
      assertThat(whole.status()).isEqualTo(200);
    }
    String date = plain.the("Last-Modified");
    assertThat(get("/a.txt", "Range: bytes=1-2", "If-Range: " + date).text()).isEqualTo("lp");
    assertThat(get("/a.txt", "Range: bytes=1-2").status()).isEqualTo(206);
  }

  /// Two versions of one size within one second have different tags all the same.
  @Test
  void aTagOfTimesWaitsUntilItsSecondIsOver() throws Exception {
    start(Site.of(root).withTags(Site.Tags.MTIME_SIZE), config -> config);
    for (int i = 0; i < 20; i++) {
      write("a.txt", "alph" + (char) ('a' + i % 2));
      String tag = get("/a.txt").the("ETag");
      write("a.txt", "alph" + (char) ('b' - i % 2));
      HttpAnswer next = get("/a.txt", "If-None-Match: " + tag);
      assertThat(next.status()).as("version " + i).isEqualTo(200);
    }
    Await.until("a tag of times", () -> get("/a.txt").the("ETag").startsWith("W/\""));
    assertThat(get("/a.txt", "If-None-Match: " + get("/a.txt").the("ETag")).status())
        .isEqualTo(304);
  }

  // ---- reload -------------------------------------------------------------------------------

  @Test
  void aReloadReadsAllErrorPagesOrNone() throws IOException {
    write("404.html", "not here");
    write("403.html", "not for you");
    Map<Integer, String> pages = Map.of(404, "404.html", 403, "403.html");
    start(Site.of(root).withErrorPages(pages), config -> config);
    write("404.html", "gone");
    write("403.html", "no");
    assertThat(get("/none").text()).as("as at the start").isEqualTo("not here");
    reload();
    assertThat(get("/none").text()).isEqualTo("gone");
    assertThat(get("/.x").text()).isEqualTo("no");
    write("403.html", "again");
    Files.delete(root.resolve("404.html"));
    assertThatThrownBy(() -> reload())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the error pages in use stay: ")
        .hasMessageContaining("404.html")
        .hasMessageContaining("ENOENT");
    assertThat(get("/none").text()).isEqualTo("gone");
    assertThat(get("/.x").text()).as("all or none").isEqualTo("no");
  }

  /// A store into a mapping is a change that inotify does not see, and no time tells.
  @Test
  void aReloadForgetsWhatIsKept() throws IOException {
    Path file = write("mapped.txt", "old");
    write("404.html", "not here");
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Arena arena = Arena.ofConfined()) {
      MemorySegment map = channel.map(FileChannel.MapMode.READ_WRITE, 0, 3, arena);
      map.set(ValueLayout.JAVA_BYTE, 0, (byte) 'o');
      for (char c = 'a'; c <= 'z'; c++) {
        get("/mapped.txt");
        map.set(ValueLayout.JAVA_BYTE, 0, (byte) c);
        reload();
        assertThat(get("/mapped.txt").text()).isEqualTo(c + "ld");
      }
    }
  }

  /// Nor does it see what is mounted over a directory.
  @Test
  void aReloadSeesMounts() throws Exception {
    assumeTrue(System.getProperty("user.name").equals("root"), "needs root, to mount");
    write("d/x.txt", "below");
    Path upper = Files.createDirectory(outside.resolve("upper"));
    Files.writeString(upper.resolve("x.txt"), "above");
    for (boolean watched : new boolean[] {true, false}) {
      start(config -> watched ? config : config.withWatches(0));
      for (Path over : List.of(root.resolve("d"), root)) {
        String path = over.equals(root) ? "/x.txt" : "/d/x.txt";
        String before = get(path).text();
        run("mount", "--bind", upper.toString(), over.toString());
        try {
          if (watched || over.equals(root)) {
            reload();
          }
          assertThat(get(path).text()).as(over + ", watched: " + watched).isEqualTo("above");
        } finally {
          run("umount", "--lazy", over.toString());
        }
        if (watched || over.equals(root)) {
          reload();
        }
        assertThat(get(path).text()).isEqualTo(before);
      }
    }
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(Await.end(process)).as(said).isZero();
  }

  /// The file system is asked on each hit.
  @Test
  void withoutWatchesChangesAreSeenToo() throws IOException {
    start(config -> config.withWatches(0));
    for (int i = 0; i < 200; i++) {
      if (i % 2 == 0) {
        write("a.txt", "version " + i);
      } else {
        replace("a.txt", ("version " + i).getBytes(StandardCharsets.US_ASCII));
      }
      assertThat(get("/a.txt").text()).isEqualTo("version " + i);
    }
    Files.delete(root.resolve("a.txt"));
    assertThat(get("/a.txt").status()).isEqualTo(404);
  }

  @Test
  void droppedRecordsOfTheAccessLogAreCounted() throws IOException {
    start(config -> config.withAccessLog(outside.resolve("log")));
    CounterPublisher counters = new CounterPublisher(Counters.inMemory());
    publishTo(counters);
    assertThat(counters.snapshot().values())
        .anyMatch(each ->
            each.label().equals("access_log/dropped_records")
                && each.value() == 0
                && !each.gauge());
  }
}
