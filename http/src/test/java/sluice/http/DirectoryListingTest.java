package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DirectoryListingTest {
  private final Site site = Site.of(Path.of("unused"));
  private final List<SiteFiles.Entry> entries = new ArrayList<>();

  private void add(String name, int kind) {
    add(name.getBytes(StandardCharsets.UTF_8), kind);
  }

  private void add(byte[] name, int kind) {
    FileStatus status = new FileStatus();
    status.kind = kind;
    status.sizeBytes = 42;
    status.modifiedNanos = 1_700_000_000L * 1_000_000_000L;
    entries.add(new SiteFiles.Entry(name, status));
  }

  private String html(String directory, int most) {
    SiteFiles.Listed listed = new SiteFiles.Listed(0, entries, false);
    byte[] html = new DirectoryListing(most).html(SitePath.of(directory), listed, site);
    return new String(html, StandardCharsets.UTF_8);
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
        .doesNotContain(".git", "pipe", "line", "slash", "x%FF")
        .contains("link");
    SiteFiles.Listed listed = new SiteFiles.Listed(0, entries, false);
    Site strict = site.withSymlinks(Site.Symlinks.REFUSE);
    byte[] html = new DirectoryListing(10).html(SitePath.ROOT, listed, strict);
    assertThat(new String(html, StandardCharsets.UTF_8)).doesNotContain("link\"");
  }

  @Test
  void saysThatThereIsMore() {
    for (int i = 0; i < 20; i++) {
      add("f" + i, FileStatus.REGULAR);
    }
    assertThat(html("/", 5)).contains("only 5 are shown").doesNotContain("./f5\"");
  }
}
