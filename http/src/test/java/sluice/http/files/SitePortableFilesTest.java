package sluice.http.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.http.files.SiteAnswer.Content;
import sluice.http.files.SiteAnswer.Keep;
import sluice.http.files.SiteAnswer.Refusal;
import sluice.http.site.Site;
import sluice.http.site.SitePath;
import sluice.memory.Account;

class SitePortableFilesTest {
  private final Account memory = new Account("test", 1 << 20);
  @TempDir Path directory;
  private Path root;

  @BeforeEach
  void publish() throws IOException {
    root = Files.createDirectories(directory.resolve("www"));
    Files.createDirectories(root.resolve("d"));
    Files.writeString(root.resolve("d/f"), "hello");
    Files.writeString(directory.resolve("secret"), "secret");
    Files.createSymbolicLink(root.resolve("in"), Path.of("d/f"));
    Files.createSymbolicLink(root.resolve("absolute"), root.resolve("d"));
    Files.createSymbolicLink(root.resolve("out"), Path.of("../secret"));
    Files.createSymbolicLink(root.resolve("dangling"), Path.of("none"));
  }

  private SiteAnswer answer(Site.Symlinks symlinks, String path) {
    Site site = Site.of(root).withSymlinks(symlinks);
    SiteFiles files = new SitePortableFiles(site, "a test");
    return new FileFill(
            site, files, null, memory, name -> false, new FileReader(memory, FileClock.SYSTEM))
        .answer(SitePath.of(path));
  }

  private String get(Site.Symlinks symlinks, String path) {
    try (SiteAnswer answer = answer(symlinks, path)) {
      return switch (answer) {
        case Content content -> content.variant().lengthBytes() + " " + content.keep();
        case Refusal refusal -> String.valueOf(refusal.status());
        case SiteAnswer.Redirect _ -> "redirect";
        case SiteAnswer.Listing listing -> new String(listing.html(), StandardCharsets.UTF_8);
      };
    }
  }

  @Test
  void keepsThePolicy() {
    assertThat(get(Site.Symlinks.INSIDE, "/d/f")).startsWith("5 ");
    assertThat(get(Site.Symlinks.INSIDE, "/in")).startsWith("5 ");
    assertThat(get(Site.Symlinks.INSIDE, "/absolute/f")).startsWith("5 ");
    assertThat(get(Site.Symlinks.INSIDE, "/out")).isEqualTo("403");
    assertThat(get(Site.Symlinks.REFUSE, "/in")).isEqualTo("403");
    assertThat(get(Site.Symlinks.REFUSE, "/d/f")).startsWith("5 ");
    assertThat(get(Site.Symlinks.FOLLOW, "/out")).startsWith("6 ");
    assertThat(get(Site.Symlinks.INSIDE, "/dangling")).isEqualTo("404");
    assertThat(get(Site.Symlinks.INSIDE, "/none")).isEqualTo("404");
    assertThat(get(Site.Symlinks.INSIDE, "/d/f/x")).isEqualTo("404");
    assertThat(get(Site.Symlinks.INSIDE, "/d")).isEqualTo("redirect");
    assertThat(get(Site.Symlinks.INSIDE, "/" + "x".repeat(300))).isEqualTo("404");
  }

  @Test
  void seesAChange() throws Exception {
    Thread.sleep(FileReader.QUIET_NANOS / 1_000_000 * 2);
    Site site = Site.of(root);
    SiteFiles files = new SitePortableFiles(site, "a test");
    FileFill fill =
        new FileFill(
            site, files, null, memory, name -> false, new FileReader(memory, FileClock.SYSTEM));
    FileStatus scratch = new FileStatus();
    try (Content content = (Content) fill.answer(SitePath.of("/d/f"))) {
      assertThat(content.keep()).isEqualTo(Keep.REVALIDATE);
      assertThat(content.stillCurrent(files, scratch)).isTrue();
      Files.writeString(root.resolve("d/f"), "other");
      assertThat(content.stillCurrent(files, scratch)).isFalse();
    }
    assertThat(files.shortcoming()).contains("a test");
  }

  @Test
  void listsEntries() {
    SiteFiles files = new SitePortableFiles(Site.of(root), "a test");
    SiteFiles.Filter all = (name, kind) -> true;
    SiteFiles.Listed listed = files.list(SitePath.ROOT, 100, all);
    assertThat(listed.errno()).isZero();
    assertThat(listed.entries()).hasSize(5);
    assertThat(files.list(SitePath.ROOT, 2, all).more()).isEqualTo(3);
    assertThat(files.list(SitePath.of("/none/"), 2, all).errno()).isNotZero();
  }
}
