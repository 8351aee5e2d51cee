package sluice.http.files;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.http.files.SiteAnswer.Content;
import sluice.http.files.SiteAnswer.Keep;
import sluice.http.files.SiteAnswer.Refusal;
import sluice.http.parse.ContentNegotiation;
import sluice.http.site.Site;
import sluice.http.site.SitePath;
import sluice.memory.Account;
import sluice.memory.block.Block;

class FileFillTest {
  private final FileMemory files = new FileMemory();
  private final Account memory = new Account("test", 1 << 24);
  private final List<SiteAnswer> answers = new ArrayList<>();
  private final WatchTable table = WatchTable.alone(files, 10_000);
  private Site site = Site.of(java.nio.file.Path.of("unused"));

  @AfterEach
  void nothingLeaks() {
    answers.forEach(SiteAnswer::close);
    answers.forEach(SiteAnswer::close);
    assertThat(memory.usedBytes()).as("blocks").isZero();
    assertThat(files.open).as("descriptors").isEmpty();
  }

  private FileFill fill(boolean watching) {
    return new FileFill(
        site,
        files,
        watching ? table : null,
        memory,
        path -> !path.toString().endsWith(".png"),
        new FileReader(memory, files));
  }

  private SiteAnswer answer(String path) {
    table.drain(ticket -> {}); // as a loop does before it serves a batch
    SiteAnswer answer = fill(true).answer(SitePath.of(path));
    answers.add(answer);
    return answer;
  }

  private Content content(String path) {
    SiteAnswer answer = answer(path);
    assertThat(answer).isInstanceOf(Content.class);
    return (Content) answer;
  }

  private int refused(String path) {
    SiteAnswer answer = answer(path);
    assertThat(answer).isInstanceOf(Refusal.class);
    return ((Refusal) answer).status();
  }

  private static byte[] bytes(FileVariant variant) {
    Block block = variant.block();
    return block == null ? new byte[0] : block.segment().toArray(ValueLayout.JAVA_BYTE);
  }

  private static String text(FileVariant variant) {
    return new String(bytes(variant), StandardCharsets.UTF_8);
  }

  private boolean stands(SiteAnswer answer) {
    table.drain(ticket -> {});
    WatchTicket ticket = answer.ticket();
    return ticket != null && !ticket.fallen();
  }

  @Test
  void readsAFile() {
    files.write("a/f.html", "hello");
    Content content = content("/a/f.html");
    assertThat(text(content.variant())).isEqualTo("hello");
    assertThat(content.variant().lengthBytes()).isEqualTo(5);
    assertThat(content.keep()).isEqualTo(Keep.WATCHED);
    assertThat(content.vary()).isTrue();
    assertThat(content.path()).isEqualTo(SitePath.of("/a/f.html"));
    assertThat(content.variant().tag()).matches("\"[0-9a-f]+-5(-[0-9a-f]+){3}\"");
    table.drain(ticket -> {});
    assertThat(stands(content)).isTrue();
  }

  @Test
  void theTagChangesWithEveryVersion() {
    List<String> tags = new ArrayList<>();
    for (String text : List.of("one", "two", "six")) {
      files.write("f", text);
      tags.add(content("/f").variant().tag());
    }
    assertThat(tags).doesNotHaveDuplicates();
  }

  /// Two versions of one size within one tick of the clock that stamps files.
  private List<FileVariant> indistinguishable() {
    files.fineTime = true;
    files.wholeSeconds = true;
    files.now += 100_000_000;
    files.write("f", "one");
    FileVariant one = content("/f").variant();
    files.now += 500_000_000;
    files.write("f", "two");
    FileVariant two = content("/f").variant();
    assertThat(two.version().sameState(one.version())).isTrue();
    return List.of(one, two);
  }

  @Test
  void versionsWithTheSameTimesHaveDifferentTags() {
    List<FileVariant> versions = indistinguishable();
    assertThat(text(versions.get(0))).isEqualTo("one");
    assertThat(text(versions.get(1))).isEqualTo("two");
    assertThat(versions.get(0).tag()).isNotEqualTo(versions.get(1).tag());
    assertThat(content("/f").variant().tag()).isEqualTo(versions.get(1).tag());
  }

  @Test
  void openFilesHaveATagOfTheirOwnUntilTheirTimesTell() {
    site = site.withCacheableBytes(0);
    List<FileVariant> versions = indistinguishable();
    assertThat(versions.get(0).tag()).isNotEqualTo(versions.get(1).tag());
    Content content = content("/f");
    assertThat(content.provisionalUntilNanos()).isBetween(files.now, files.now + 3_000_000_000L);
    files.now = content.provisionalUntilNanos();
    String settled = content("/f").variant().tag();
    assertThat(settled).matches("\"[0-9a-f]+-3-[0-9a-f]+-[0-9a-f]+\"");
    assertThat(content("/f").variant().tag()).isEqualTo(settled);
    assertThat(content("/f").provisionalUntilNanos()).isZero();
  }

  /// Two versions of one second would share it, and it must not be later than `Date`.
  @Test
  void theModificationTimeIsNoValidatorUntilItsSecondIsOver() {
    files.fineTime = true;
    files.write("f", "one");
    Content early = content("/f");
    assertThat(early.variant().validators().dated()).isFalse();
    assertThat(early.keep()).isEqualTo(Keep.WATCHED);
    files.now = early.provisionalUntilNanos() - 1;
    assertThat(content("/f").variant().validators().dated()).isFalse();
    files.now++;
    assertThat(content("/f").variant().validators().dated()).isTrue();
    assertThat(content("/f").provisionalUntilNanos()).isZero();
    files.now -= 100_000_000_000L; // the file is from the future
    assertThat(content("/f").variant().validators().dated()).isFalse();
  }

  /// The write comes after the bytes were read, and the second is over when all is done.
  @Test
  void whenAFileWasReadCountsAndNotWhenTheFillEnded() {
    files.fineTime = true;
    files.write("f", "one");
    files.at(FileMemory.Step.AFTER_READ, () -> files.now += 5_000_000_000L);
    assertThat(content("/f").variant().validators().dated()).isFalse();
  }

  @Test
  void anEmptyFileHasNoBytes() {
    files.write("f", "");
    Content content = content("/f");
    assertThat(content.variant().lengthBytes()).isZero();
    assertThat(content.variant().block()).isNull();
    assertThat(content.keep()).isEqualTo(Keep.WATCHED);
  }

  @Test
  void refusesByKind() {
    files.write("f", "x");
    files.write("secret", "x");
    files.chmod("secret", 0);
    files.fifo("pipe");
    files.mkdirs("d");
    files.symlink("out", "../etc/passwd");
    files.symlink("dangling", "nowhere");
    files.write(".git/config", "x");
    assertThat(refused("/none")).isEqualTo(404);
    assertThat(refused("/f/x")).isEqualTo(404);
    assertThat(refused("/f/")).isEqualTo(404);
    assertThat(refused("/pipe")).isEqualTo(404);
    assertThat(refused("/dangling")).isEqualTo(404);
    assertThat(refused("/secret")).isEqualTo(403);
    assertThat(refused("/out")).isEqualTo(403);
    assertThat(refused("/.git/config")).isEqualTo(403);
    assertThat(refused("/.git/none")).isEqualTo(403);
    assertThat(refused("/d/")).as("no index, no listing").isEqualTo(403);
  }

  @Test
  void anAbsentFileIsSeenToAppear() {
    SiteAnswer before = answer("/d/f");
    assertThat(stands(before)).isTrue();
    files.write("d/f", "x");
    assertThat(stands(before)).isFalse();
  }

  @Test
  void whatASymlinkHidesIsNotWatched() {
    files.symlink("dangling", "nowhere");
    files.symlink("dir", "real");
    files.write("real/f", "x");
    assertThat(answer("/dangling").ticket()).isNull();
    assertThat(answer("/dir").ticket()).isNull();
    Content content = content("/dir/f");
    assertThat(content.ticket()).isNull();
    assertThat(content.keep()).isEqualTo(Keep.REVALIDATE);
  }

  @Test
  void directoriesGiveRedirectIndexOrListing() {
    files.write("d/index.htm", "second");
    assertThat(answer("/d")).isInstanceOf(SiteAnswer.Redirect.class);
    Content second = content("/d/");
    assertThat(text(second.variant())).isEqualTo("second");
    assertThat(second.path()).isEqualTo(SitePath.of("/d/index.htm"));
    assertThat(stands(second)).isTrue();
    files.write("d/index.html", "first");
    assertThat(stands(second)).as("a better index appeared").isFalse();
    assertThat(text(content("/d/").variant())).isEqualTo("first");
    site = site.withListing(true);
    files.write("e/f", "x");
    SiteAnswer listing = answer("/e/");
    assertThat(listing).isInstanceOf(SiteAnswer.Listing.class);
    files.write("index.html", "root");
    assertThat(text(content("/").variant())).isEqualTo("root");
  }

  @Test
  void withoutWatchesEachUseIsCompared() {
    files.write("f", "one");
    files.blind = true;
    WatchTable none = WatchTable.alone(files, 10);
    FileFill fill =
        new FileFill(site, files, none, memory, path -> false, new FileReader(memory, files));
    Content content = (Content) fill.answer(SitePath.of("/f"));
    answers.add(content);
    assertThat(content.keep()).isEqualTo(Keep.REVALIDATE);
    FileStatus scratch = new FileStatus();
    assertThat(content.stillCurrent(files, scratch)).isTrue();
    assertThat(files.statusCalls).isEqualTo(1);
    files.write("f", "two");
    assertThat(content.stillCurrent(files, scratch)).isFalse();
    files.unlink("f");
    assertThat(content.stillCurrent(files, scratch)).isFalse();
  }

  @Test
  void whatATimeStampCannotTellApartIsNotKept() {
    files.fineTime = true;
    files.write("f", "one");
    files.now += FileReader.QUIET_NANOS - 1_000_000;
    FileFill fill = fill(false);
    Content content = (Content) fill.answer(SitePath.of("/f"));
    answers.add(content);
    assertThat(files.paused).isEqualTo(1_000_000L);
    assertThat(content.keep()).isEqualTo(Keep.REVALIDATE);
    files.chmod("f", 0600);
    Content fresh = (Content) fill.answer(SitePath.of("/f"));
    answers.add(fresh);
    assertThat(fresh.keep()).isEqualTo(Keep.ONCE);
  }

  private static final int ALL =
      ContentNegotiation.IDENTITY
          | ContentNegotiation.GZIP
          | ContentNegotiation.ZSTD
          | ContentNegotiation.BR;

  /// As a client that accepts two codings, the first one rather, and identity last of all.
  private Content coded(String path, int first, int second) {
    table.drain(ticket -> {});
    int order = first | second << 4 | ContentNegotiation.IDENTITY << 8;
    Content content = (Content) fill(true).answer(SitePath.of(path), order);
    answers.add(content);
    return content;
  }

  private Content gzipped(String path) {
    return coded(path, ContentNegotiation.GZIP, 0);
  }

  @Test
  void siblingsServeAndAge() {
    files.write("f.js", "original");
    files.write("f.js.br", "BR");
    files.write("f.js.gz", "GZ");
    Content content = content("/f.js");
    int three = ALL & ~ContentNegotiation.ZSTD;
    assertThat(content.codings()).isEqualTo(three);
    assertThat(content.variant().coding()).isEqualTo(FileCoding.IDENTITY);
    assertThat(text(content.variant())).isEqualTo("original");
    Content brotli = coded("/f.js", ContentNegotiation.BR, ContentNegotiation.GZIP);
    assertThat(brotli.codings()).isEqualTo(three);
    assertThat(brotli.variant().coding()).isEqualTo(FileCoding.BROTLI);
    assertThat(text(brotli.variant())).isEqualTo("BR");
    Content noZstd = coded("/f.js", ContentNegotiation.ZSTD, ContentNegotiation.GZIP);
    assertThat(text(noZstd.variant())).isEqualTo("GZ");
    assertThat(brotli.variant().tag()).endsWith("-br\"").isNotEqualTo(content.variant().tag());
    List<Content> all = List.of(content, brotli, noZstd);
    assertThat(all).allMatch(this::stands);
    files.write("f.js.zst", "ZSTD");
    assertThat(all).as("a sibling appeared").noneMatch(this::stands);
    files.write("f.js", "newer!!!");
    Content newer = content("/f.js");
    Content newerForAll = coded("/f.js", ContentNegotiation.BR, ContentNegotiation.GZIP);
    assertThat(newer.codings()).isEqualTo(ContentNegotiation.IDENTITY);
    assertThat(text(newerForAll.variant())).as("older siblings do not serve").isEqualTo("newer!!!");
    assertThat(newerForAll.codings()).isEqualTo(ContentNegotiation.IDENTITY);
    assertThat(stands(newer)).isTrue();
    files.write("f.js.gz", "GZ2");
    assertThat(stands(newer)).as("an old sibling was renewed").isFalse();
    assertThat(text(gzipped("/f.js").variant())).isEqualTo("GZ2");
    site = site.withCompression(false, 0);
    assertThat(content("/f.js").codings()).isEqualTo(ContentNegotiation.IDENTITY);
    assertThat(content("/f.js").vary()).isFalse();
  }

  @Test
  void whatIsWrittenToTheOriginalFellsItsSibling() {
    files.write("f.js", "original");
    files.write("f.js.gz", "GZ");
    Content gzip = gzipped("/f.js");
    assertThat(text(gzip.variant())).isEqualTo("GZ");
    files.write("f.js", "changed!");
    assertThat(stands(gzip)).isFalse();
    assertThat(text(gzipped("/f.js").variant())).isEqualTo("changed!");
  }

  @Test
  void onlyWhatIsAskedForIsRead() {
    files.write("f.js", "original");
    files.write("f.js.gz", "GZ");
    files.reads = 0;
    assertThat(text(content("/f.js").variant())).isEqualTo("original");
    assertThat(files.reads).isEqualTo(1);
    assertThat(text(gzipped("/f.js").variant())).isEqualTo("GZ");
    assertThat(files.reads).isEqualTo(2);
    assertThat(memory.usedBytes()).isEqualTo("original".length() + "GZ".length());
  }

  @Test
  void aSiblingThatCannotBeOpenedIsNone() {
    files.write("f.js", "original");
    files.symlink("f.js.gz", "../etc/shadow.gz");
    files.write("f.js.br", "BR");
    files.chmod("f.js.br", 0);
    assertThat(content("/f.js").codings()).isEqualTo(ALL & ~ContentNegotiation.ZSTD);
    Content none = coded("/f.js", ContentNegotiation.BR, ContentNegotiation.GZIP);
    assertThat(text(none.variant())).isEqualTo("original");
    assertThat(none.codings()).isEqualTo(ContentNegotiation.IDENTITY);
    assertThat(none.ticket()).as("what a link leads to is not watched").isNull();
    files.symlink("g.js.gz", "real.gz");
    files.write("g.js", "plain");
    files.write("real.gz", "LINKED");
    assertThat(text(gzipped("/g.js").variant())).isEqualTo("LINKED");
  }

  @Test
  void compressesOnTheFly() throws IOException {
    String text = "all work and no play makes a dull page. ".repeat(50);
    files.write("f.txt", text);
    files.write("f.png", text);
    files.write("small.txt", "short");
    int both = ContentNegotiation.IDENTITY | ContentNegotiation.GZIP;
    assertThat(text(content("/f.txt").variant())).isEqualTo(text);
    assertThat(content("/f.txt").codings()).as("it may compress").isEqualTo(both);
    Content gzipped = gzipped("/f.txt");
    FileVariant gzip = gzipped.variant();
    assertThat(gzipped.codings()).isEqualTo(both);
    assertThat(gzip.coding()).isEqualTo(FileCoding.GZIP);
    assertThat(gzip.lengthBytes()).isLessThan(text.length() / 2);
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes(gzip)))) {
      assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(text);
    }
    byte[] noise = new byte[5000];
    new Random(1).nextBytes(noise);
    files.write("noise.txt", noise);
    for (String path : List.of("/f.png", "/small.txt", "/noise.txt")) {
      Content content = gzipped(path);
      assertThat(content.variant().coding()).as(path).isEqualTo(FileCoding.IDENTITY);
      assertThat(content.codings()).as(path).isEqualTo(ContentNegotiation.IDENTITY);
    }
  }

  @Test
  void largeFilesAreStreamed() {
    site = site.withCacheableBytes(100);
    files.write("big", "x".repeat(101));
    Content content = content("/big");
    assertThat(content.keep())
        .as("an open file is kept while it is watched")
        .isEqualTo(Keep.WATCHED);
    FileStream stream = requireNonNull(content.variant().stream());
    FileStatus scratch = new FileStatus();
    assertThat(stream.stillSame(scratch)).isTrue();
    files.chmod("big", 0600);
    assertThat(stream.stillSame(scratch)).as("permissions are not content").isTrue();
    files.write("next", "y".repeat(101));
    files.rename("next", "big");
    assertThat(stream.stillSame(scratch)).as("the replaced file goes on").isTrue();
    assertThat(files.open).hasSize(1);
    stream.retain();
    content.close();
    assertThat(files.open).as("a transfer holds it").hasSize(1);
    stream.release();
    assertThat(files.open).as("the last transfer ended").isEmpty();
  }

  @Test
  void aRewriteInMidTransferIsNoticed() {
    site = site.withCacheableBytes(100);
    FileStatus scratch = new FileStatus();
    files.write("big", "x".repeat(101));
    FileStream stream = requireNonNull(content("/big").variant().stream());
    files.write("big", "y".repeat(101));
    assertThat(stream.stillSame(scratch)).isFalse();
    FileStream again = requireNonNull(content("/big").variant().stream());
    files.write("big", "y".repeat(7));
    assertThat(again.stillSame(scratch)).isFalse();
  }

  @Test
  void withoutMemoryEvenSmallFilesAreStreamed() {
    files.write("f", "x".repeat(1000));
    assertThat(memory.tryCharge(memory.limitBytes() - 10)).isTrue();
    Content content = content("/f");
    assertThat(content.variant().stream()).isNotNull();
    assertThat(content.keep()).isEqualTo(Keep.WATCHED);
    memory.refund(memory.limitBytes() - 10);
  }

  @Test
  void aFileThatNeverRestsIsRefused() {
    files.write("f", "0");
    for (int i = 0; i < 20; i++) {
      String text = "x".repeat(i + 2);
      files.at(FileMemory.Step.MID_READ, () -> files.write("f", text));
    }
    assertThat(refused("/f")).isEqualTo(503);
  }

  @Test
  void aChangeAtAnyStepGivesOneVersionAndFellsTheTicket() {
    for (FileMemory.Step step : FileMemory.Step.values()) {
      files.write("d/f", "A".repeat(1000));
      table.drain(ticket -> {});
      files.at(step, () -> files.write("d/f", "B".repeat(1000)));
      Content content = content("/d/f");
      files.hooks.clear();
      String got = text(content.variant());
      assertThat(got.chars().distinct().count()).as("mixed at " + step).isEqualTo(1);
      if (stands(content)) {
        FileMemory.Inode now = requireNonNull(files.find("d/f"));
        assertThat(got)
            .as("stale at " + step)
            .isEqualTo(new String(now.content, StandardCharsets.UTF_8));
      }
      table.dropAll();
      table.drain(ticket -> {});
    }
  }

  /// Random changes at random steps: every body is one published version, and a ticket that stands
  /// after a drain means the body is the current one.
  @Test
  void randomChangesNeverMixNorGoUnseen() {
    long seed = Long.getLong("sluice.seed", 1);
    Random random = new Random(seed);
    String[] paths = {"a/f", "a/g", "a/b/f", "c/f"};
    Map<String, byte[]> published = new HashMap<>();
    List<Content> kept = new ArrayList<>();
    for (int round = 0; round < 4000; round++) {
      String about = "seed " + seed + ", round " + round;
      files.hooks.clear();
      for (int i = random.nextInt(3); i > 0; i--) {
        FileMemory.Step[] steps = FileMemory.Step.values();
        files.at(steps[random.nextInt(steps.length)], () -> change(random, paths, published));
      }
      change(random, paths, published);
      String path = paths[random.nextInt(paths.length)];
      SiteAnswer answer = fill(true).answer(SitePath.of(path));
      files.hooks.clear();
      if (answer instanceof Content content && content.keep() == Keep.WATCHED) {
        assertThat(published).as(about).containsKey(text(content.variant()));
        kept.add(content);
      } else {
        if (answer instanceof Content content) {
          assertThat(published).as(about).containsKey(text(content.variant()));
        }
        answer.close();
      }
      change(random, paths, published);
      table.drain(ticket -> {});
      for (Content content : kept.toArray(new Content[0])) {
        WatchTicket ticket = content.ticket();
        if (ticket == null || ticket.fallen()) {
          content.close();
          kept.remove(content);
          continue;
        }
        FileMemory.Inode now = requireNonNull(files.find(content.path().toString().substring(1)));
        byte[] current = now.coming == null ? now.content : bytes(content.variant());
        assertThat(bytes(content.variant())).as(about).isEqualTo(current);
      }
      assertThat(files.open).as(about).isEmpty();
    }
    kept.forEach(Content::close);
  }

  private void change(Random random, String[] paths, Map<String, byte[]> published) {
    byte[] body = new byte[64];
    Arrays.fill(body, (byte) ('!' + random.nextInt(90)));
    published.put(new String(body, StandardCharsets.UTF_8), body);
    String path = paths[random.nextInt(paths.length)];
    switch (random.nextInt(12)) {
      case 0, 1, 2 -> files.write(path, body);
      case 3 -> files.beginWrite(path, body);
      case 4 -> {
        files.write("new", body);
        files.rename("new", path);
      }
      case 5 -> files.unlink(path);
      case 6 -> files.rename("a", "c/moved");
      case 7 -> files.rename("c/moved", "a");
      case 8 -> files.link(path, "other/" + random.nextInt(3));
      case 9 -> {
        if (files.find("other/1") != null) {
          files.write("other/1", body);
        }
      }
      case 10 -> files.unlink("a/b");
      default -> {
        if (random.nextInt(20) == 0) {
          files.overflow();
        }
      }
    }
  }
}
