package sluice.http.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
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
    return html(directory, listed(directory, most, rules), ListingOrder.NAME);
  }

  private static String html(String directory, SiteFiles.Listed listed, ListingOrder order) {
    byte[] html = DirectoryListing.html(SitePath.of(directory), listed, order);
    return new String(html, StandardCharsets.UTF_8);
  }

  private SiteFiles.Listed listed(String directory, int most, Site rules) {
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
    return new SiteFiles.Listed(0, entries, first.more());
  }

  @Test
  void sortsDirectoriesFirst() {
    add("b", FileStatus.REGULAR);
    add("a", FileStatus.REGULAR);
    add("z", FileStatus.DIRECTORY);
    String html = html("/d/", 10);
    assertThat(html).containsSubsequence("../", "./z/", "./a\"", "./b\"");
    assertThat(html).contains("title=\"42 bytes\">42 B</td><td>2023-11-14 22:13</td>");
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
  void namesAreInNaturalOrder() {
    List<String> order =
        List.of(
            "10",
            "a",
            "A02",
            "a2",
            "a9",
            "a10",
            "a10b",
            "a99999999999999999999",
            "a100000000000000000000",
            "B",
            "file 2",
            "file 10",
            "\u00e9",
            "\uffe6",
            "\ud83d\ude00");
    order.reversed().forEach(name -> add(name, FileStatus.REGULAR));
    List<String> shown = order.stream().map(name -> ">" + name + "<").toList();
    assertThat(html("/", 20)).containsSubsequence(shown);
    assertThat(html("/", 3)).contains(">A02<", "12 more").doesNotContain(">a2<");
  }

  /// A comparison that contradicted itself would make a sort fail, or lose names.
  @Test
  void naturalOrderIsTotal() {
    List<byte[]> all = new ArrayList<>();
    for (String name :
        "0,00,1,01,10,a,A,aA,a0,a00,a1,A1,a01,a1b,a01b,a1a,b,-1,_1,~,z9z,z09z,z9Z".split(",", -1)) {
      all.add(name.getBytes(StandardCharsets.UTF_8));
    }
    all.add(new byte[] {});
    all.add(new byte[] {(byte) 0xff});
    NaturalOrder order = NaturalOrder.ORDER;
    for (byte[] a : all) {
      for (byte[] b : all) {
        int ab = Integer.signum(order.compare(a, b));
        assertThat(ab).isEqualTo(-Integer.signum(order.compare(b, a)));
        assertThat(ab == 0).isEqualTo(Arrays.equals(a, b));
        for (byte[] c : all) {
          if (ab < 0 && order.compare(b, c) < 0) {
            assertThat(order.compare(a, c)).isNegative();
          }
        }
      }
    }
  }

  @Test
  void sizesAreReadable() {
    Map<Long, String> sizes =
        Map.ofEntries(
            Map.entry(0L, "0 B"),
            Map.entry(999L, "999 B"),
            Map.entry(1000L, "1.0 KiB"),
            Map.entry(1024L, "1.0 KiB"),
            Map.entry(10_188L, "9.9 KiB"),
            Map.entry(10_200L, "10 KiB"),
            Map.entry(1023L << 10, "1.0 MiB"),
            Map.entry(3_000_000L, "2.9 MiB"),
            Map.entry(29_000_000L, "28 MiB"),
            Map.entry(5L << 40, "5.0 TiB"),
            Map.entry(Long.MAX_VALUE, "8.0 EiB"));
    sizes.forEach((bytes, shown) ->
        assertThat(DirectoryListing.readable(bytes)).as("" + bytes).isEqualTo(shown));
  }

  @Test
  void rowsAreSortedAsTheQuerySays() {
    List<SiteFiles.Entry> entries = new ArrayList<>();
    for (String each : List.of("d/,0,5", "e/,0,9", "a,7,3", "b,900,2", "c,7,8")) {
      String[] parts = each.split(",", -1);
      FileStatus status = new FileStatus();
      status.kind = parts[0].endsWith("/") ? FileStatus.DIRECTORY : FileStatus.REGULAR;
      status.sizeBytes = Long.parseLong(parts[1]);
      status.modifiedSeconds = Long.parseLong(parts[2]);
      entries.add(
          new SiteFiles.Entry(parts[0].replace("/", "").getBytes(StandardCharsets.UTF_8), status));
    }
    SiteFiles.Listed listed = new SiteFiles.Listed(0, entries, 0);
    Map<ListingOrder, String> rows = new EnumMap<>(ListingOrder.class);
    rows.put(ListingOrder.NAME, "d/ e/ a b c");
    rows.put(ListingOrder.NAME_DOWN, "e/ d/ c b a");
    rows.put(ListingOrder.SIZE, "d/ e/ a c b");
    rows.put(ListingOrder.SIZE_DOWN, "d/ e/ b a c");
    rows.put(ListingOrder.TIME, "d/ e/ b a c");
    rows.put(ListingOrder.TIME_DOWN, "e/ d/ c a b");
    rows.forEach((order, names) -> {
      String html = html("/", listed, order);
      assertThat(html.replaceAll("(?s)^.*?</th></tr>", "").replaceAll("(?s)</table>.*", ""))
          .containsSubsequence(
              Stream.of(names.split(" ", -1))
                  .map(name -> "<bdi dir=\"ltr\">" + name + "<")
                  .toList());
      assertThat(html).containsOnlyOnce("aria-sort");
    });
    assertThat(html("/", listed, ListingOrder.SIZE_DOWN))
        .contains("aria-sort=\"descending\"><a rel=\"nofollow\" href=\"./?sort=size\">Size")
        .contains("href=\"./\">Name<", "href=\"./?sort=-time\">Changed");
  }

  /// The names of the path are hostile, too.
  @Test
  void thePathIsLinks() {
    assertThat(html("/", 1)).contains("<h1><bdi dir=\"ltr\">/</bdi></h1>");
    assertThat(html("/a\"<b>/\u202ec/d/", 1))
        .contains(
            "<h1><a href=\"../../../\"><bdi dir=\"ltr\">/</bdi></a> "
                + "<a href=\"../../\"><bdi dir=\"ltr\">a&quot;&lt;b&gt;/</bdi></a> "
                + "<a href=\"../\"><bdi dir=\"ltr\">\uFFFDc/</bdi></a> "
                + "<bdi dir=\"ltr\">d/</bdi></h1>");
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
