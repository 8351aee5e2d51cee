package sluice.host.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.http.HttpConfig;

/// Checks the rules of a configuration file against the files that they name.
@Timeout(60)
final class RulePathsTest {
  @TempDir Path directory = Path.of(".");

  @BeforeEach
  void site() throws Exception {
    for (String file :
        List.of("index.html", "about.html", "a/x.txt", "a/b/y.html", "packed.js.gz", "plain.js")) {
      Path path = directory.resolve("public/" + file);
      Files.createDirectories(path.getParent());
      Files.writeString(path, file);
    }
  }

  private List<String> warnings(String table, List<String> paths) throws Exception {
    StringBuilder text = new StringBuilder("directory = \"public\"\nclean-urls = true\n");
    text.append("[[redirect]]\nfrom = \"/old/*\"\nto = \"/a/*\"\n");
    for (String path : paths) {
      text.append("[[" + table + "]]\npath = \"" + path + "\"\n");
      text.append(table.equals("access") ? "deny = [\"all\"]\n" : "set = { X-A = \"1\" }\n");
    }
    Path file = Files.writeString(directory.resolve("site.toml"), text);
    SiteOptions options = SiteOptions.read(file);
    HttpConfig _ = options.check();
    return options.warnings().stream().map(each -> each.replace(file.toString(), "")).toList();
  }

  @Test
  void aRuleThatNamesAFileIsNoReasonToWarn() throws Exception {
    List<String> good =
        List.of(
            "/",
            "/*",
            "*.html",
            "/about",
            "/about.html",
            "/a",
            "/a/",
            "/a/*",
            "/a/b",
            "/old/z",
            "/a/b/y",
            "/a/*.html",
            "/packed.js",
            "/packed.js.gz",
            "/old/*",
            "*/b");
    assertThat(warnings("access", good)).isEmpty();
    assertThat(warnings("header", good.subList(0, good.size() - 1))).isEmpty();
  }

  @Test
  void aRuleThatNamesNoFileIsToldWithItsLineAndFix() throws Exception {
    List<String> wrong =
        List.of("/abuot", "/A", "/a/none/*", "*.htm", "/index", "/none.html", "/b/y");
    for (String table : List.of("access", "header")) {
      List<String> told = warnings(table, wrong);
      assertThat(told)
          .contains(
              ":7: [["
                  + table
                  + "]] names no file: nothing is at /abuot. Fix: correct the path, or leave the"
                  + " rule out");
      // /index is served as index.html because of clean-urls
      assertThat(told).hasSize(wrong.size() - 1);
    }
  }

  @Test
  void aDirectoryThatFoldsTheCaseOfLettersIsFound() {
    assertThat(RulePaths.foldsCase(Set.of("abc", "x"), name -> true)).isTrue();
    assertThat(RulePaths.foldsCase(Set.of("ABC"), Set.of("abc", "ABC")::contains)).isTrue();
    assertThat(RulePaths.foldsCase(Set.of("abc", "x"), Set.of("abc", "x")::contains)).isFalse();
    assertThat(RulePaths.foldsCase(Set.of("abc", "ABC"), name -> true)).isFalse();
    assertThat(RulePaths.foldsCase(Set.of("1", "2"), name -> true)).isFalse();
  }
}
