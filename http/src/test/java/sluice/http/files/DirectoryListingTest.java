package sluice.http.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.http.site.Site;
import sluice.http.site.SitePath;

class DirectoryListingTest {
  private final Site site = Site.of(Path.of("unused"));
  private final List<FirstEntries.Name> names = new ArrayList<>();
  private long seconds = 1_700_000_000L;

  private void add(String name, int kind) {
    add(name.getBytes(StandardCharsets.UTF_8), kind);
  }

  private void add(byte[] name, int kind) {
    names.add(new FirstEntries.Name(name, kind));
  }

  private String html(String directory, int most) {
    return html(directory, most, site);
  }

  private String html(String directory, int most, Site rules) {
    SitePath path = SitePath.of(directory);
    FirstEntries first = new FirstEntries(most, DirectoryListing.filter(path, rules));
    names.forEach(each -> first.offer(each.name(), each.kind()));
    List<SiteFiles.Entry> entries = new ArrayList<>();
    for (FirstEntries.Name each : first.sorted()) {
      FileStatus status = new FileStatus();
      status.kind = each.kind();
      status.sizeBytes = 42;
      status.modifiedSeconds = seconds;
      entries.add(new SiteFiles.Entry(each.name(), status));
    }
    SiteFiles.Listed listed = new SiteFiles.Listed(0, entries, first.more());
    return new String(DirectoryListing.html(path, listed), StandardCharsets.UTF_8);
  }

  @Test
  void sortsDirectoriesFirst() {
    add("b", FileStatus.REGULAR);
    add("a", FileStatus.REGULAR);
    add("z", FileStatus.DIRECTORY);
    String html = html("/d/", 10);
    assertThat(html).containsSubsequence("../", "./z/", "./a\"", "./b\"");
    assertThat(html).contains("<td>42</td><td>2023-11-14 22:13</td>");
    assertThat(html).doesNotContain("There are more");
    assertThat(html("/", 10)).doesNotContain("../");
  }

  @Test
  void escapesTextAndLinks() {
    add("<script>alert(1)", FileStatus.REGULAR);
    add("a\"b'c&d", FileStatus.REGULAR);
    add("javascript:alert(1)", FileStatus.REGULAR);
    add("line\u202e\u00ff", FileStatus.REGULAR);
    String html = html("/<b>/", 10);
    assertThat(html).doesNotContain("<script>", "<b>", "href=\"javascript", "\u202e");
    assertThat(html)
        .contains("./%3Cscript%3Ealert%281%29\"")
        .contains("&lt;script&gt;")
        .contains("a&quot;b&#39;c&amp;d")
        .contains("./line%E2%80%AE%C3%BF\"");
  }

  @Test
  void leavesOutWhatIsRefused() {
    add(".git", FileStatus.DIRECTORY);
    add("pipe", FileStatus.OTHER);
    add("new\nline", FileStatus.REGULAR);
    add("back\\slash", FileStatus.REGULAR);
    add(new byte[] {'x', (byte) 0xff}, FileStatus.REGULAR);
    add("link", FileStatus.SYMLINK);
    assertThat(html("/", 10))
        .doesNotContain(".git", "pipe", "%0A", "\uFFFDline", "slash", "x%FF")
        .contains("link");
    Site strict = site.withSymlinks(Site.Symlinks.REFUSE);
    assertThat(html("/", 10, strict)).doesNotContain("link\"");
  }

  /// Whatever order they come in: the last to come may be the first to be shown.
  @Test
  void theFirstInOrderAreShownAndTheOthersCounted() {
    for (int i = 999; i >= 0; i--) {
      add("f%03d".formatted(i * 7 % 1000), FileStatus.REGULAR);
      add(".hidden" + i, FileStatus.REGULAR);
    }
    add("z", FileStatus.DIRECTORY);
    assertThat(html("/", 5))
        .containsSubsequence("./z/", "./f000", "./f001", "./f002", "./f003", "996 more")
        .contains("only the first 5 entries are shown")
        .doesNotContain("./f004\"");
    assertThat(html("/", 1001)).contains("./f999").doesNotContain(" more: ");
  }

  @Test
  void namesAreInTheOrderOfCodePoints() {
    for (String name : List.of("\ud83d\ude00", "\uffe6", "\u00e9", "a10", "a9", "B", "a")) {
      add(name, FileStatus.REGULAR);
    }
    assertThat(html("/", 10))
        .containsSubsequence(
            ">B<", ">a<", ">a10<", ">a9<", ">\u00e9<", ">\uffe6<", ">\ud83d\ude00<");
  }

  @Test
  void aPageOfLongNamesIsBounded() {
    for (int i = 0; i < DirectoryListing.MOST_ENTRIES; i++) {
      add("%06d".formatted(i) + "<".repeat(249), FileStatus.REGULAR);
    }
    String html = html("/", DirectoryListing.MOST_ENTRIES);
    assertThat(html.length()).isBetween(4 << 20, (4 << 20) + 10_000);
    String end = html.substring(html.lastIndexOf("<p>"));
    int shown = html.split("<tr>", -1).length - 2;
    assertThat(end).startsWith("<p>" + (DirectoryListing.MOST_ENTRIES - shown) + " more: only ");
  }

  @Test
  void timesOfAllCenturiesAreShown() {
    add("f", FileStatus.REGULAR);
    for (long[] each :
        new long[][] {
          {16_725_225_600L, 2500},
          {-7_258_118_400L, 1740},
          {-15_000_000_000L, 1494},
          {Long.MAX_VALUE, 9999},
          {Long.MIN_VALUE, 0}
        }) {
      seconds = each[0];
      assertThat(html("/", 10)).contains("<td>%04d-".formatted(each[1]));
    }
  }
}
